import { type EpochMs, plusMs } from '@svc/core'
import type { LogFields } from '@svc/core/service'
import { fromNow, NOW, silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import type { UsageSummary } from '@svc/core/usage'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createTrustedClock,
  datedByOurClock,
  type TrustedClock,
  usageClockOf,
} from './trusted-clock.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

let clock: VirtualClock
let trusted: TrustedClock
let told: string[]
let turns: number
beforeEach(() => {
  clock = virtualClock(async () => undefined)
  told = []
  turns = 0
  trusted = createTrustedClock({
    clock,
    log: {
      ...silentLog,
      info: (event: string) => void told.push(event),
      error: (event: string, fields?: LogFields) =>
        void told.push(`${event} ${fields?.disagreesWith} ${fields?.aheadSeconds}`),
    },
  })
  trusted.onTurn(() => {
    turns += 1
  })
})
const held = (newestRecordAt: EpochMs | null, forgottenAsOf: EpochMs | null = null) =>
  trusted.storeSaid({ newestRecordAt, forgottenAsOf })

describe('our clock', () => {
  it('is believed, but nothing is certain, while nobody else tells the time', () => {
    expect(trusted.read()).toEqual({ doubt: null, falseAfter: null, certain: 0, latest: NOW })
    expect(trusted.forgettingTime()).toBeNull()
  })

  it('is vouched for by the proxy, whose time runs on between its answers', async () => {
    trusted.proxySaid(NOW)
    await clock.advance(MINUTE_MS)

    expect(trusted.read()).toMatchObject({ doubt: null, certain: plusMs(NOW, MINUTE_MS) })
  })

  it.each([
    { what: 'a day behind it', aheadMs: -DAY_MS, doubted: false },
    { what: 'more than a day behind it', aheadMs: -DAY_MS - 1, doubted: true },
    { what: 'a day before it', aheadMs: DAY_MS, doubted: false },
    { what: 'more than a day before it', aheadMs: DAY_MS + 1, doubted: true },
  ])('beside a proxy $what is doubted: $doubted', ({ aheadMs, doubted }) => {
    trusted.proxySaid(plusMs(NOW, aheadMs))

    expect(trusted.read().doubt !== null).toBe(doubted)
    expect(turns).toBe(doubted ? 1 : 0)
  })

  it('is reported once when it begins and once when it ceases to be doubted', async () => {
    trusted.proxySaid(plusMs(NOW, -2 * DAY_MS))
    trusted.proxySaid(plusMs(NOW, -2 * DAY_MS))
    trusted.read()
    trusted.proxySaid(NOW)

    expect(told).toEqual([`clock not trusted proxy ${(2 * DAY_MS) / 1000}`, 'clock trusted again'])
    expect(turns).toBe(2)
  })

  it('is doubted after a jump until it has run evenly for five minutes', async () => {
    held(NOW)
    trusted.read()
    clock.jumpWallClock(2 * DAY_MS)
    expect(trusted.read().doubt).toEqual({ reason: 'jump', aheadSeconds: (2 * DAY_MS) / 1000 })
    await clock.advance(5 * MINUTE_MS - 1)
    expect(trusted.read().doubt?.reason).toBe('jump')
    await clock.advance(1)

    expect(trusted.read().doubt).toBeNull()
  })

  it('that is set back and forth begins to be watched anew each time', async () => {
    held(NOW)
    trusted.read()
    clock.jumpWallClock(2 * DAY_MS)
    trusted.read()
    await clock.advance(4 * MINUTE_MS)
    clock.jumpWallClock(2 * MINUTE_MS)
    trusted.read()
    await clock.advance(4 * MINUTE_MS)

    expect(trusted.read().doubt?.reason).toBe('jump')
  })

  it('that NTP moves a little is believed', () => {
    held(NOW)
    trusted.read()
    clock.jumpWallClock(59_000)

    expect(trusted.read().doubt).toBeNull()
  })
})

describe('records', () => {
  it('of the future make a clock doubted that no proxy vouches for', () => {
    held(plusMs(NOW, DAY_MS + 1))

    expect(trusted.read().doubt).toMatchObject({ reason: 'records' })
  })

  it('never move the newest one back', () => {
    trusted.recordStored(plusMs(NOW, MINUTE_MS))
    trusted.recordStored(plusMs(NOW, -MINUTE_MS))

    expect(trusted.read().latest).toBe(plusMs(NOW, MINUTE_MS))
  })
})

describe('forgetting', () => {
  it('is as of a time that two sources vouch for', () => {
    held(null, plusMs(NOW, -MINUTE_MS))
    expect(trusted.forgettingTime()).toBeNull()
    trusted.proxySaid(plusMs(NOW, -5_000))

    expect(trusted.forgettingTime()).toBe(plusMs(NOW, -5_000))
  })

  it('rests while the clock is doubted', () => {
    trusted.proxySaid(plusMs(NOW, -2 * DAY_MS))

    expect(trusted.forgettingTime()).toBeNull()
  })

  it('starts from what the store had forgotten when it was first opened, and ignores later openings', () => {
    trusted.proxySaid(NOW)
    held(NOW, plusMs(NOW, -MINUTE_MS))
    const first = trusted.forgettingTime()
    held(NOW, plusMs(NOW, -300 * DAY_MS))

    expect(first).toBe(NOW)
    expect(trusted.forgettingTime()).toBe(first)
  })
})

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
