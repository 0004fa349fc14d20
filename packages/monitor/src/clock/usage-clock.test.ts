import { plusMs } from '@svc/core'
import { fromNow, NOW, silentLog, virtualClock } from '@svc/core/testing'
import type { UsageSummary } from '@svc/core/usage'
import { expect, it } from 'vitest'
import { createTrustedClock } from './trusted-clock.ts'
import { datedByOurClock, usageClockOf } from './usage-clock.ts'

const AHEAD_SECONDS = 20 * 60

it('where the clock of the proxy is ahead, usage is read up to its time, and the last request is dated by ours', async () => {
  const clock = virtualClock(async () => undefined)
  const trustedClock = createTrustedClock({ clock, log: silentLog })
  const usageClock = usageClockOf(clock, trustedClock)
  trustedClock.proxySaid(fromNow(AHEAD_SECONDS))
  await clock.advance(5_000)
  const requestedAt = fromNow(AHEAD_SECONDS + 4)

  const source = datedByOurClock(
    {
      async summary(now) {
        expect(now).toBeGreaterThan(requestedAt)
        return {
          live: { lastEventAt: requestedAt },
          history: { earliest: null, latest: requestedAt },
        } as UsageSummary
      },
    },
    clock,
  )
  const { live, history } = await source.summary(usageClock.now())
  for (const at of [live.lastEventAt, history.latest]) {
    expect(at).toBeLessThanOrEqual(clock.now())
    expect(at).toBeGreaterThanOrEqual(plusMs(NOW, 2_000))
  }
  expect(history.earliest).toBeNull()
})
