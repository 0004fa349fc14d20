import type { ProviderId } from '@svc/core'
import { commonProviderLabel } from '@svc/core/service'
import { countText } from '../../format/format.ts'

/** `账号`, or ` Codex 账号` if all accounts have that provider; the space separates the name from the Chinese word before it. */
export function accountNoun(providers: Iterable<ProviderId>): string {
  const label = commonProviderLabel(providers)
  return label === null ? '账号' : ` ${label} 账号`
}

/** `24 个 Codex 账号`: the size of a pool, given the provider of each account. */
export function countedAccountsText(providers: readonly ProviderId[]): string {
  return `${countText(providers.length)} 个${accountNoun(providers)}`
}
