import { spaced } from '@svc/views/format/zh-cn'
import type { resetsWords as english } from '../resets-words.ts'

/** Words of the Resets view in simplified Chinese. */
export const resetsWords: typeof english = {
  lane: '不用即作废',
  noAccounts: '暂无账号。',
  nothingExpires: '没有即将作废的 5 小时配额。',
  laneSum: (accounts) => spaced`一小时内不用即作废，分布在${accounts}`,
  laneSumOfAll: (accounts) => spaced`一小时内，${accounts}：`,
  toUse: (span) => `还剩 *${span}*`,
  resetTitles: { '5h': '5 小时重置', week: '每周重置' },
  horizons: { 6: '6 小时', 24: '24 小时', 168: '7 天' },
  resetSumRest: (horizon, total, tracked) =>
    spaced`未来${horizon}内；如果不使用，达到 ${total} / ${tracked}`,
  freed: (units) => `；其中 ${units} 要等其他窗口重置`,
  resetHeads: { in: '还有', at: '时间', account: '账号', left: '当前剩余' },
  byProvider: '重置按提供商分别列出：',
  idleReasons: {
    unproven: '重置未确认',
    notStarted: '首次使用起算',
    full: '已满，无增加',
    uncounted: '不计入',
    unknown: '重置时间未知',
  },
}
