import type { ReclaimWindow } from '../account/reclaim-window.ts'
import type { AccountSelector } from '../facts/account.ts'
import type { UpstreamName } from '../facts/upstream.ts'

/** Members of an account that the ranking reads. */
export interface Rankable {
  readonly selector: AccountSelector
  readonly routable: boolean
  readonly score: number
  readonly reclaim: ReclaimWindow | null
  readonly capacityWeight: number
  /** Left out if all accounts are of one proxy. */
  readonly account?: { readonly upstream: UpstreamName }
}

/** Best account first, blocked ones last; the same accounts always come out in the same order. See docs/rules.md#routing-score. */
export function rankAccounts<Account extends Rankable>(
  accounts: readonly Account[],
): readonly Account[] {
  return [...accounts].sort(byRank)
}

/** Order of two accounts, best first. */
export function byRank(a: Rankable, b: Rankable): number {
  return (
    Number(b.routable) - Number(a.routable) ||
    b.score - a.score ||
    reclaimSeconds(a) - reclaimSeconds(b) ||
    b.capacityWeight - a.capacityWeight ||
    byText(a.selector.authName, b.selector.authName) ||
    byText(a.selector.accountKey, b.selector.accountKey) ||
    byText(a.account?.upstream ?? '', b.account?.upstream ?? '')
  )
}

/** Larger than any reset, and finite, so that two accounts without a reset compare equal. */
const NO_RECLAIM_SECONDS = Number.MAX_SAFE_INTEGER

function reclaimSeconds(account: Rankable): number {
  return account.reclaim?.resetsInSeconds ?? NO_RECLAIM_SECONDS
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
