import type { EpochMs } from '@svc/core'
import type { Clock, QuotaRefresher } from '@svc/core/service'
import { SAMPLE_POOL } from './example-pool.ts'

/** See docs/rules.md#manual-refresh. */
const DURATION_MS = 2000

/** A refresh of the sample pool: counts up to its size in two seconds and asks nobody. */
export interface DemoRefresher extends QuotaRefresher {
  /** When the disabled accounts were last asked about by hand; null before the first time. */
  lastProbeAt(): EpochMs | null
}

/** Plays the manual refresh of the demo, and remembers when the disabled accounts were last asked about. */
export function createDemoRefresher(clock: Clock): DemoRefresher {
  const disabledCount = SAMPLE_POOL.filter(({ condition }) => condition === 'disabled').length
  const countByScope = {
    default: SAMPLE_POOL.length - disabledCount,
    'disabled-diagnostics': disabledCount,
  }
  let lastProbeAt: EpochMs | null = null
  return {
    available: () => true,
    // The demo has no management key.
    isManagementKey: () => null,
    begin(scope) {
      const queued = countByScope[scope]
      const startedMs = clock.monotonicMs()
      let isOver = false
      let cancel = () => {}
      const ended = new Promise<null>((resolve) => {
        cancel = clock.schedule(DURATION_MS, () => {
          isOver = true
          if (scope === 'disabled-diagnostics') lastProbeAt = clock.now()
          resolve(null)
        })
      })
      // A timer may be a moment early.
      const done = () =>
        isOver
          ? queued
          : Math.min(queued, Math.floor((queued * (clock.monotonicMs() - startedMs)) / DURATION_MS))
      return { ended, tally: () => ({ queued, done: done(), failed: 0 }), cancel }
    },
    lastProbeAt: () => lastProbeAt,
  }
}
