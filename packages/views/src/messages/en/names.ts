import type { ProviderId } from '@svc/core'
import { perWindow } from '@svc/core/service'
import { countedText, countText, durationText } from '../../format/format.ts'
import {
  type AboutAccounts,
  countsByProvider,
  createWindowLabel,
  someNamesOf,
} from '../names/names.ts'

/** The name of a single account, or the size of a group. */
export function whoIn({ accounts }: AboutAccounts): string {
  const [first, ...others] = accounts
  return first !== undefined && others.length === 0
    ? first.title
    : countedText(accounts.length, 'account')
}

/** The first few names of a group; null for a single account, which `whoIn` names. */
export function namesIn(about: AboutAccounts): string | null {
  if (about.accounts.length === 1) return null
  const { named, unnamedCount } = someNamesOf(about)
  return unnamedCount === 0 ? named.join(', ') : `${named.join(', ')} and ${unnamedCount} more`
}

/** Size of a pool, given the provider of each account: `24 Codex accounts`, or `24 Codex, 3 Claude accounts`. */
export function countedAccountsText(providers: readonly ProviderId[]): string {
  const { named, restCount } = countsByProvider(providers)
  const parts = named.map(([label, count]) => `${countText(count)} ${label}`)
  if (restCount > 0) parts.push(`${countText(restCount)} other`)
  const counted = parts.length === 0 ? '0' : parts.join(', ')
  return `${counted} ${providers.length === 1 ? 'account' : 'accounts'}`
}

/** Label of a window: `5h`, `Weekly`, `Code review weekly`. */
export const windowLabel = createWindowLabel({
  own: {
    ...perWindow(({ label }) => label),
    day: 'Daily',
    month: 'Monthly',
    spend: 'Spending limit',
    limit: 'Limit',
  },
  durationText,
  ofScope: (scope, label) => `${scope} ${label.toLowerCase()}`,
})
