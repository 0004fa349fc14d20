import type { AccountList, EpochMs } from '@svc/core'
import type { AccountActivity } from '@svc/core/usage'
import { onOurClock } from '../proxy/upstream-client.ts'

/** When accounts last succeeded, by their usage: known sooner and more exactly than from the proxy's counts. */
export interface UsageSuccesses {
  note(activity: readonly AccountActivity[]): void
  /** The list with every success that its counts do not show yet. */
  appliedTo(list: AccountList): AccountList
}

export function createUsageSuccesses(): UsageSuccesses {
  const lastByKey = new Map<string, EpochMs>()
  return {
    note(activity) {
      for (const { accountKey, lastSuccessAt } of activity) {
        if (lastSuccessAt !== null && lastSuccessAt > (lastByKey.get(accountKey) ?? 0))
          lastByKey.set(accountKey, lastSuccessAt)
      }
    },
    appliedTo(list) {
      if (lastByKey.size === 0) return list
      const accounts = list.accounts.map((account) => {
        const last = lastByKey.get(account.selector.accountKey)
        return last === undefined || last <= (account.lastSuccessAt ?? 0)
          ? account
          : { ...account, lastSuccessAt: last }
      })
      // Accounts that are gone are forgotten.
      const listed = new Set(accounts.map(({ selector }) => selector.accountKey))
      for (const key of lastByKey.keys()) if (!listed.has(key)) lastByKey.delete(key)
      return { ...list, accounts }
    },
  }
}

/** The same with its times on our clock. */
export function onOurTime(
  { accountKey, lastSuccessAt, sample }: AccountActivity,
  clockSkewSeconds: number | null,
): AccountActivity {
  return {
    accountKey,
    lastSuccessAt: lastSuccessAt === null ? null : onOurClock(lastSuccessAt, clockSkewSeconds),
    sample:
      sample === null
        ? null
        : { ...sample, sampledAt: onOurClock(sample.sampledAt, clockSkewSeconds) },
  }
}
