import type { Catalogue } from '../en/catalogue.ts'

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
