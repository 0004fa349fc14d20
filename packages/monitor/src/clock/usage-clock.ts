import { type EpochMs, plusMs } from '@svc/core'
import type { Clock } from '@svc/core/service'
import type { UsageReader } from '@svc/core/usage'
import type { TrustedClock } from './trusted-clock.ts'

/** The clock that dates usage. A window that ends at its time includes the usage stored last. */
export function usageClockOf(clock: Clock, trustedClock: TrustedClock): Clock {
  return { ...clock, now: () => trustedClock.usageNow() }
}

/** The source, read by the time of the usage clock. The instants in its answers are moved to our clock, from which readers compute ages. */
export function datedByOurClock(
  source: Pick<UsageReader, 'summary'>,
  clock: Clock,
): Pick<UsageReader, 'summary'> {
  return {
    async summary(usageNow) {
      const aheadMs = usageNow - clock.now()
      const onOurs = (at: EpochMs | null) => (at === null ? null : plusMs(at, -aheadMs))
      const { live, history, ...rest } = await source.summary(usageNow)
      return {
        ...rest,
        live: { ...live, lastEventAt: onOurs(live.lastEventAt) },
        history: { ...history, earliest: onOurs(history.earliest), latest: onOurs(history.latest) },
      }
    },
  }
}
