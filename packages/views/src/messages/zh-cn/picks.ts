import type { Catalogue } from '../en/catalogue.ts'
import { spaced } from './spaced.ts'

/** Why an account was picked, or why none was, in Chinese. */
export const picks: Catalogue['picks'] = {
  reasons: {
    kept: '正在使用的账号与最佳账号相当。',
    best: '最佳账号。',
    spread: '与最佳账号相当，且使用它的调用方更少。',
    none_listed: '没有列出任何账号。',
    none_matching: '没有符合条件的账号。',
    all_blocked: '符合条件的账号目前均不可使用。',
    all_avoided: '符合条件的账号均被避开。',
  },
  nextAt: (when) => spaced`最早预计于 ${when} 恢复。`,
}
