import { type Clock, type EpochMs, plusMs } from '@svc/core'
import type { SummarySource } from '../monitor/usage-watch.ts'
import type { TrustedClock } from './trusted-clock.ts'

/** The clock that dates usage: what is stored now lies before its time, so a window that ends there shows it. */
export function usageClockOf(clock: Clock, trustedClock: TrustedClock): Clock {
  return { ...clock, now: () => trustedClock.usageNow() }
}

/** The source, asked with the time of the usage's clock; when the last request was is told by ours, which its age is counted by. */
export function toldByOurClock(source: SummarySource, clock: Clock): SummarySource {
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
