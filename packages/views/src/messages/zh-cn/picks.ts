import type { Catalogue } from '../en/catalogue.ts'

/** Why an account was picked, or why none was, in Chinese. */
export const picks: Catalogue['picks'] = {
  kept: '正在使用的账号是最佳账号，或与之接近。',
  best: '最佳账号。',
  spread: '接近最佳账号，且使用它的调用方更少。',
  none_listed: '没有列出任何账号。',
  none_matching: '没有符合条件的账号。',
  all_blocked: '符合条件的账号目前均不可使用。',
  all_avoided: '符合条件的账号均被避开。',
}
