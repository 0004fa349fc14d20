import type { EpochMs } from '@svc/core'
import type { Clock, QuotaRefresher, RefreshTarget } from '@svc/core/service'
import { SAMPLE_POOL } from './example-pool.ts'
import type { ExampleRow } from './example-row.ts'

/** See docs/rules.md#manual-refresh. */
const DURATION_MS = 2000

/** A simulated refresh of the sample pool: counts up to its size in two seconds without queries. */
export interface DemoRefresher extends QuotaRefresher {
  /** Time of the last manual refresh of this account; null before the first. */
  lastAskedAt(accountKey: string): EpochMs | null
}

/** Simulates the manual refresh of the demo, and remembers the last one of each account. */
export function createDemoRefresher(clock: Clock): DemoRefresher {
  const askedAtByKey = new Map<string, EpochMs>()
  return {
    available: () => true,
    // The demo has no management key.
    isManagementKey: () => null,
    begin(target) {
      const asked = SAMPLE_POOL.filter((row) => isInScope(row, target))
      const queued = asked.length
      const startedMs = clock.monotonicMs()
      let isOver = false
      let cancel = () => {}
      const ended = new Promise<null>((resolve) => {
        cancel = clock.schedule(DURATION_MS, () => {
          isOver = true
          for (const { accountKey } of asked) askedAtByKey.set(accountKey, clock.now())
          resolve(null)
        })
      })
      // A timer may fire slightly early.
      const passedMs = () => Math.min(DURATION_MS, clock.monotonicMs() - startedMs)
      const done = () => (isOver ? queued : Math.floor((queued * passedMs()) / DURATION_MS))
      return {
        ended,
        tally: () => ({ queued, done: done(), failed: 0 }),
        expectedMs: () => DURATION_MS - passedMs(),
        cancel,
      }
    },
    lastAskedAt: (accountKey) => askedAtByKey.get(accountKey) ?? null,
  }
}

function isInScope({ accountKey, condition }: ExampleRow, target: RefreshTarget): boolean {
  return target.scope === 'account'
    ? accountKey === target.accountKey
    : (condition === 'disabled') === (target.scope === 'disabled-diagnostics')
}
