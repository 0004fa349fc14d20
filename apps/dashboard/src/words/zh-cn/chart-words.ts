import { spaced } from '@svc/views/format/zh-cn'
import type * as english from '../chart-words.ts'

/** Texts of the chart of past and coming quota, in simplified Chinese. */
export const flowWords: typeof english.flowWords = {
  summary: (window, from, to, unit, end) =>
    `${window}：${from === to ? `现在 ${to} ${unit}` : spaced`到目前从${from}变为 ${to} ${unit}`}；${end}`,
  reader: (window) => `${window}，按时间`,
  usable: (moment, units, held) => `${moment}：可用 ${units}${held === '' ? '' : `，受阻 ${held}`}`,
  unused: (moment, units) => `${moment}：如果不使用，为 ${units}`,
  expected: (moment, units, low, high) =>
    `${moment}：预计剩余 ${units}${low === high ? '' : `（${low} 至 ${high}）`}`,
  rough: (moment, low, high, unit) =>
    `${moment}：粗略预计剩余 ${low === high ? low : `${low} 至 ${high}`} ${unit}`,
  unknown: (moment) => `${moment}：未知`,
  since: (moment) => spaced`自${moment}起保留`,
  dryAt: (moment) => spaced`${moment}耗尽`,
  dryNote: (moment) => spaced`；按此速度约${moment}耗尽`,
}

/** Texts about the use of past windows, in simplified Chinese. */
export const cycleWords: typeof english.cycleWords = {
  barTitle: (window) => `${window}，已用`,
  used: (percent) => `已用 ${percent}`,
  usedAtLeast: (percent) => `至少已用 ${percent}`,
  ranDry: '已耗尽',
  expired: (percent) => `${percent} 未用即作废`,
  endUnknown: '结束时没有读数',
  states: { running: '进行中', refilled: '重置前已补满' },
  notBegun: '没有使用中的窗口',
  table: (count, dry) => `${count} 个窗口，${dry} 个耗尽`,
  heads: ['窗口', '已用', '剩余'],
  title: '未用即作废的配额',
  expiredUnits: (units, isLeast) => `每周${isLeast ? '至少' : ''} *${units}* 未用即作废`,
  notBegunUnits: (units) => `每周 *${units}* 等待首个请求`,
  trackedUnits: (units) => `每周共 ${units}`,
  tooShort: (span) => spaced`观测满一周后才知道每周作废多少；目前为${span}。`,
  tableHeads: ['窗口', '耗尽', '结束未知'],
  dryOf: (dry, known) => `${dry} / ${known}`,
  note: (range, unit) =>
    spaced`${range}，仅当前列出的账号，按每周窗口计，单位 ${unit}。作废多而耗尽少：账号可以更少。作废少而耗尽多：需要更多账号。`,
  failed: '无法加载窗口的使用情况。',
}
