import { type EpochMs, HOUR_MS } from '@svc/core'
import { unpricedAfter } from '@svc/core/health'
import type { Clock, UnpricedUsage } from '@svc/core/service'

/** Delay after the files of prices were read, in which the store takes the prices over. */
const FIRST_LOOK_MS = 60_000
const LOOK_EVERY_MS = HOUR_MS

/**
 * Looks once an hour for usage without a price. What it finds is kept in memory: after a restart the time for which too much was unpriced begins anew.
 */
export function createUnpricedWatch({
  shareAt,
  clock,
}: {
  /** Null if unknown. */
  readonly shareAt: (now: EpochMs) => Promise<number | null>
  readonly clock: Clock
}) {
  let latest: UnpricedUsage | null = null
  let cancelNext = () => {}
  const lookIn = (delayMs: number) => {
    cancelNext()
    cancelNext = clock.schedule(delayMs, () => {
      lookIn(LOOK_EVERY_MS)
      const now = clock.now()
      void shareAt(now).then(
        (share) => {
          latest = unpricedAfter(latest, share, now)
        },
        // A store that cannot be read says nothing.
        () => undefined,
      )
    })
  }
  return {
    latest: () => latest,
    /** Looks soon, because there are other prices. */
    pricesRead: () => lookIn(FIRST_LOOK_MS),
    stop: () => cancelNext(),
  }
}
