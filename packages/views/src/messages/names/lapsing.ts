import type { EpochMs } from '@svc/core'
import type { ActionOf } from '../conditions/conditions.ts'

type Lapses = ActionOf<'banked_reset_lapses'>

/** The number of banked resets that an action is about, and the first expiry of them. */
export function lapsingIn({ accounts }: Lapses, now: EpochMs): { until: EpochMs; count: number } {
  return {
    until: accounts[0]?.until ?? now,
    count: accounts.reduce((sum, { resetCount }) => sum + resetCount, 0),
  }
}

/** Accounts whose week is used up, the one that waits longest for its reset first, with the end of that wait. */
export function usedUpLongestFirst({ accounts }: Lapses) {
  return accounts
    .flatMap(({ weekUsedUpUntil: until, ...account }) =>
      until === null ? [] : [{ ...account, until }],
    )
    .sort((one, other) => other.until - one.until)
}
