import { countText } from '../../format/format.ts'
import { spaced } from '../../format/spaced.ts'
import type { Catalogue } from '../en/catalogue.ts'
import { windowLabel } from './names.ts'

export const pool: Catalogue['pool'] = {
  noTrackedQuota: '没有计入容量的配额',
  left: ({ usable, held, tracked, unknown, isLowerBound, unit }) => {
    const texts = [`可用 ${usable} / ${tracked} ${unit}`]
    if (held !== null) texts.push(`受阻 ${held}`)
    if (unknown !== null) texts.push(`未知 ${unknown}`)
    return `${isLowerBound ? '至少' : ''}${texts.join('，')}`
  },
  nextReturn: ({ units, unit, when, duration }) =>
    spaced`${when} 恢复 +${units} ${unit}，还有 ${duration}`,
  runway: {
    burn: (units, unit) => `−${units} ${unit}/小时`,
    burnUnknown: '消耗尚未知',
    dryIn: (duration) => spaced`${duration}后耗尽`,
    lasts: (hours) => `可持续 ${hours} 小时以上`,
    rough: (from, to) => `粗略：${to === null ? `${from} 小时以上` : `${from} 至 ${to} 小时`}`,
    mayRunDry: (hours) => `${hours} 小时内可能耗尽`,
    lapsing: (count, hours) => `已扣除 ${hours} 小时内到期的 ${countText(count)} 个订阅`,
  },
  firstRound: ({ readCount, toReadCount, doneAt }) =>
    spaced`正在读取账号：${countText(readCount)} / ${countText(toReadCount)}${doneAt === null ? '' : spaced`，约 ${doneAt} 完成`}`,
  ranking: ({ routableCount, blockedCount, topScore }) =>
    `可路由 ${countText(routableCount)} · 受阻 ${countText(blockedCount)} · 最高评分 ${topScore}`,
  windowReset: ({ window, when, remaining }) =>
    spaced`${window}配额将于 ${when} 重置，还有 ${remaining}`,
  windowNotStarted: (window) => spaced`${window}配额自首次使用起算`,
  rolledOver: '已重置，未确认',
  amountReached: '已触顶',
  unknown: '未知',
  notReported: '未报告',
  quotaNotReported: '配额未报告',
}

/** Reasons for a pick, or for picking none, in Chinese. */
export const picks: Catalogue['picks'] = {
  kept: '继续使用当前账号。',
  best: '最佳账号。',
  spread: '使用它的调用方比更好的账号少。',
  released: '已不再记住该调用方。',
  none_listed: '没有列出任何账号。',
  none_matching: '没有符合条件的账号。',
  all_blocked: '符合条件的账号目前均不可使用。',
  all_avoided: '符合条件的账号均被避开。',
}

export const calendar: Catalogue['calendar'] = {
  title: '配额重置',
  account: ({ plan, key }) => spaced`${plan} 账号 ${key}`,
  reset: ({ account, windowId }) => `${windowLabel(windowId)}配额重置：${account}`,
  gives: (units, unit) => `恢复 ${units} ${unit}。`,
  subscriptionEnds: (account) => `订阅到期：${account}`,
  bankedResetLapses: (account) => `备用重置作废：${account}`,
  spendBefore: '在此之前可于 Codex 中使用。',
  asLoginSaid: (seen) =>
    spaced`以其${seen === null ? '' : spaced`${seen} 的`}登录信息为准；此后的续订不会显示。`,
}
