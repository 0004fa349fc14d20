import type { flowWords as english } from '../flow-words.ts'
import { spaced } from './spaced.ts'

/** Texts of the chart of past and coming quota, in simplified Chinese. */
export const flowWords: typeof english = {
  summary: (window, from, to, unit, end) =>
    `${window}：${from === to ? `现在 ${to} ${unit}` : spaced`到目前从${from}变为 ${to} ${unit}`}；${end}`,
  reader: (window) => `${window}，按时间`,
  left: (moment, units) => `${moment}：剩余 ${units}`,
  onBlocked: (units) => `，其中 ${units} 在受阻账号上`,
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
