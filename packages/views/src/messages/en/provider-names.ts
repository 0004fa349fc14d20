import type { ProviderId } from '@svc/core'
import { commonProviderLabel } from '@svc/core/service'
import { countedText } from '../../format/format.ts'

/** `Codex account` where all of them are of that provider, `account` where they are of several. Without any: of what could be watched. */
export function accountNoun(providers: Iterable<ProviderId>): string {
  const label = commonProviderLabel(providers)
  return label === null ? 'account' : `${label} account`
}

/** `a Codex account`: the same with its article. */
export function anAccountText(providers: Iterable<ProviderId>): string {
  const noun = accountNoun(providers)
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

/** `24 Codex accounts`: a pool by its size; one provider for each account. */
export function countedAccountsText(providers: readonly ProviderId[]): string {
  return countedText(providers.length, accountNoun(providers))
}
