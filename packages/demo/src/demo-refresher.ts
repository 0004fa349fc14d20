import { type EpochMs, epochMs } from '@svc/core'
import {
  type Clock,
  providerIds,
  type QuotaRefresher,
  type RefreshFailure,
  type RefreshTarget,
  type SkippedAccounts,
} from '@svc/core/service'
import { SAMPLE_POOL } from './example-pool.ts'
import type { ExampleRow } from './example-row.ts'
import { nextAskAt } from './sampling.ts'

/** Duration of the simulated refresh. See docs/rules.md#manual-refresh. */
const DURATION_MS = 2000

/** A simulated refresh of the sample pool: it sends no queries, and counts up to the number of refreshable accounts within two seconds. */
export interface DemoRefresher extends QuotaRefresher {
  /** Time of the last manual refresh of this account; null before the first. */
  lastAskedAt(accountKey: string): EpochMs | null
}

/** Simulates the manual refresh in the demo, and remembers the last refresh of each account. */
export function createDemoRefresher(clock: Clock): DemoRefresher {
  const askedAtByKey = new Map<string, EpochMs>()
  return {
    available: () => true,
    // The demo has no management key.
    isManagementKey: () => null,
    begin(target) {
      const inScope = SAMPLE_POOL.filter((row) => isInScope(row, target))
      const now = clock.now()
      const asked = inScope.filter((row) => nextAskAt(row, now) === null)
      const skipped = skippedOf(inScope, now)
      const queued = asked.length
      const failure = queued > 0 ? null : refusalOf(inScope, target)
      const startedMs = clock.monotonicMs()
      let isOver = false
      let cancel = () => {}
      const ended = new Promise<RefreshFailure | null>((resolve) => {
        cancel = clock.schedule(DURATION_MS, () => {
          isOver = true
          for (const { accountKey } of asked) askedAtByKey.set(accountKey, clock.now())
          resolve(failure)
        })
      })
      // A timer may fire slightly early.
      const passedMs = () => Math.min(DURATION_MS, clock.monotonicMs() - startedMs)
      const done = () => (isOver ? queued : Math.floor((queued * passedMs()) / DURATION_MS))
      return {
        ended,
        tally: () => ({ queued, done: done(), failed: 0, ...(skipped && { skipped }) }),
        expectedMs: () => DURATION_MS - passedMs(),
        cancel,
      }
    },
    lastAskedAt: (accountKey) => askedAtByKey.get(accountKey) ?? null,
  }
}

/** The accounts that are skipped because their vendor was queried recently; null if there are none. */
function skippedOf(inScope: readonly ExampleRow[], now: EpochMs): SkippedAccounts | null {
  const times = inScope.map((row) => nextAskAt(row, now)).filter((at) => at !== null)
  return times.length === 0 ? null : { count: times.length, nextAskAt: epochMs(Math.min(...times)) }
}

/** Reason that no account is refreshed; null if no account is in scope. */
function refusalOf(
  inScope: readonly ExampleRow[],
  { scope }: RefreshTarget,
): RefreshFailure | null {
  if (inScope.length > 0) return 'asked_lately'
  return scope === 'account' ? 'no_direct_quota' : null
}

function isInScope(row: ExampleRow, target: RefreshTarget): boolean {
  const { accountKey, condition, provider } = row
  // Nobody knows how to ask any other vendor.
  if (!providerIds.includes(provider)) return false
  return target.scope === 'account'
    ? accountKey === target.accountKey
    : (condition === 'disabled') === (target.scope === 'disabled-diagnostics')
}
