import type { ProviderId } from '@svc/core'
import { commonProviderLabel } from '@svc/core/service'
import { countedText } from '../../format/format.ts'

/** `Codex account` if all accounts have that provider, `account` if there are several providers. Without accounts: by all supported providers. */
export function accountNoun(providers: Iterable<ProviderId>): string {
  const label = commonProviderLabel(providers)
  return label === null ? 'account' : `${label} account`
}

/** The noun of `accountNoun` with its article, as in `a Codex account`. */
export function anAccountText(providers: Iterable<ProviderId>): string {
  const noun = accountNoun(providers)
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

/** `24 Codex accounts`: the size of a pool, given the provider of each account. */
export function countedAccountsText(providers: readonly ProviderId[]): string {
  return countedText(providers.length, accountNoun(providers))
}
