import type { providerWords as english } from '../provider-words.ts'
import { spaced } from './spaced.ts'

/** Words about several providers, in simplified Chinese. */
export const providerWords: typeof english = {
  provider: '提供商',
  all: '全部提供商',
  named: (label, provider) => `${label} (${provider})`,
  notOf: (provider) => spaced`此账号不属于${provider}。`,
  onlyOf: (home) => spaced`仅对${home}测量`,
}
