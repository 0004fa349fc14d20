import type { EpochMs } from '@svc/core'
import type { Clock, QuotaRefresher, RefreshTarget } from '@svc/core/service'
import { SAMPLE_POOL } from './example-pool.ts'
import type { ExampleRow } from './example-row.ts'

/** See docs/rules.md#manual-refresh. */
const DURATION_MS = 2000

/** A refresh of the sample pool: counts up to its size in two seconds and asks nobody. */
export interface DemoRefresher extends QuotaRefresher {
  /** When this disabled account was last asked about by hand; null before the first time. */
  lastProbeAt(accountKey: string): EpochMs | null
}

/** Plays the manual refresh of the demo, and remembers when the disabled accounts were last asked about. */
export function createDemoRefresher(clock: Clock): DemoRefresher {
  const probedAtByKey = new Map<string, EpochMs>()
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
          for (const row of asked)
            if (isDisabled(row)) probedAtByKey.set(row.accountKey, clock.now())
          resolve(null)
        })
      })
      // A timer may be a moment early.
      const passedMs = () => Math.min(DURATION_MS, clock.monotonicMs() - startedMs)
      const done = () => (isOver ? queued : Math.floor((queued * passedMs()) / DURATION_MS))
      return {
        ended,
        tally: () => ({ queued, done: done(), failed: 0 }),
        expectedMs: () => DURATION_MS - passedMs(),
        cancel,
      }
    },
    lastProbeAt: (accountKey) => probedAtByKey.get(accountKey) ?? null,
  }
}

const isDisabled = ({ condition }: ExampleRow) => condition === 'disabled'

function isInScope(row: ExampleRow, target: RefreshTarget): boolean {
  return target.scope === 'account'
    ? row.accountKey === target.accountKey
    : isDisabled(row) === (target.scope === 'disabled-diagnostics')
}
