import { plusMs } from '@svc/core'
import { virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { ProbeResult, QueryBudget } from '../providers/contract/provider.ts'
import { aMadeUpVendor } from '../testing/made-up-vendor.ts'
import { createVendorPace } from './vendor-pace.ts'

const MINUTE = 60_000
const throttled = (retryAfterSeconds: number | null = null): ProbeResult => ({
  kind: 'throttled',
  httpStatus: 429,
  retryAfterSeconds,
})
const BLOCKED: ProbeResult = { kind: 'blocked', httpStatus: 403 }
const REVOKED: ProbeResult = { kind: 'auth', httpStatus: 403, revoked: true }
const SAMPLE = { kind: 'sample' } as ProbeResult

function aPace(budget: Partial<QueryBudget> = {}) {
  const clock = virtualClock(() => Promise.resolve())
  const pace = createVendorPace(clock)
  const vendor = aMadeUpVendor({}, budget)
  const pausedMinutes = () => (pace.pausedUntilMs(vendor) - clock.monotonicMs()) / MINUTE
  return { clock, pace, vendor, pausedMinutes }
}

describe('the pause of a vendor', () => {
  it('is doubled with each further throttle, to its longest', async () => {
    const { clock, pace, vendor, pausedMinutes } = aPace()
    const lengths: number[] = []
    for (let round = 0; round < 6; round += 1) {
      pace.take(vendor, throttled(), 'ann')
      lengths.push(pausedMinutes())
      await clock.advance(pausedMinutes() * MINUTE)
    }

    expect(lengths).toEqual([30, 60, 120, 240, 360, 360])
  })

  it('counts two refusals of queries that were under way together as one', () => {
    const { pace, vendor, pausedMinutes } = aPace()
    pace.take(vendor, throttled(), 'ann')

    expect(pace.take(vendor, throttled(), 'ann')?.inARow).toBe(1)
    expect(pausedMinutes()).toBe(30)
  })

  it.each([
    { retryAfterSeconds: 60, minutes: 30, why: 'a shorter wait is the vendor’s least' },
    { retryAfterSeconds: 3_600, minutes: 60, why: 'a longer one counts' },
  ])('with Retry-After $retryAfterSeconds lasts $minutes min: $why', (row) => {
    const { pace, vendor, pausedMinutes } = aPace()
    pace.take(vendor, throttled(row.retryAfterSeconds), 'ann')

    expect(pausedMinutes()).toBe(row.minutes)
  })

  it('begins anew after a sample, but not after one of a query sent before', async () => {
    const { clock, pace, vendor, pausedMinutes } = aPace()
    pace.take(vendor, throttled(), 'ann')
    pace.take(vendor, SAMPLE, 'ann')
    await clock.advance(30 * MINUTE)
    expect(pace.take(vendor, throttled(), 'ann')?.inARow).toBe(2)
    await clock.advance(60 * MINUTE)
    pace.take(vendor, SAMPLE, 'ann')

    expect(pace.take(vendor, throttled(), 'ann')?.inARow).toBe(1)
    expect(pausedMinutes()).toBe(30)
  })

  it.each([
    { result: BLOCKED, budget: {}, reason: null },
    { result: BLOCKED, budget: { blockedPauses: false }, reason: null },
    { result: REVOKED, budget: { revokedStops: true }, reason: 'revoked' },
    { result: REVOKED, budget: {}, reason: null },
    {
      result: { kind: 'auth', httpStatus: 401 } as ProbeResult,
      budget: { revokedStops: true },
      reason: null,
    },
    { result: { kind: 'unavailable', httpStatus: 403 } as ProbeResult, budget: {}, reason: null },
    { result: throttled(), budget: {}, reason: 'throttled' },
  ])('after $result.kind with $budget is for $reason', ({ result, budget, reason }) => {
    const { pace, vendor } = aPace(budget)
    pace.take(vendor, result, 'ann')

    expect(pace.paused().map((one) => one.reason)).toEqual(reason === null ? [] : [reason])
  })

  it('after a page begins with the second login that meets one', async () => {
    const { clock, pace, vendor, pausedMinutes } = aPace()
    const meets = (login: string) => pace.take(vendor, BLOCKED, login)
    expect([meets('ann'), meets('ann')]).toEqual([null, null])
    expect(pace.freeAtMs(vendor)).toBeLessThanOrEqual(clock.monotonicMs())

    expect(meets('bob')).toMatchObject({ inARow: 1, reason: 'blocked' })
    expect(pausedMinutes()).toBe(30)
    await clock.advance(30 * MINUTE)
    expect(meets('bob')).toMatchObject({ inARow: 2 })
  })

  it.each([
    { why: 'a sample', between: SAMPLE },
    { why: 'a refused login', between: REVOKED },
    {
      why: 'an answer without quota',
      between: { kind: 'unavailable', httpStatus: 403 } as ProbeResult,
    },
  ])('after pages for two logins does not begin with $why between them', ({ between }) => {
    const { pace, vendor } = aPace()
    pace.take(vendor, BLOCKED, 'ann')
    pace.take(vendor, between, 'cleo')

    expect(pace.take(vendor, BLOCKED, 'bob')).toBeNull()
    expect(pace.take(vendor, BLOCKED, 'dora')).not.toBeNull()
  })

  it('after pages counts failures of the network for nothing, nor a throttle for a page', async () => {
    const { pace, vendor } = aPace()
    pace.take(vendor, BLOCKED, 'ann')
    pace.take(vendor, { kind: 'failed', code: 'timeout', httpStatus: null }, 'cleo')
    expect(pace.take(vendor, BLOCKED, 'bob')).not.toBeNull()

    const other = aPace()
    other.pace.take(other.vendor, throttled(), 'ann')
    await other.clock.advance(60 * MINUTE)
    expect(other.pace.take(other.vendor, BLOCKED, 'ann')).toBeNull()
  })

  it('holds for one vendor alone, and for none without a budget', () => {
    const { pace } = aPace()
    pace.take(aMadeUpVendor(), throttled(), 'ann')
    const { politeness } = aMadeUpVendor()
    const codex = aMadeUpVendor({ id: 'codex', politeness: { ...politeness, budget: null } })

    expect(pace.take(codex, throttled(60), 'ann')).toBeNull()
    expect(pace.freeAtMs(codex)).toBe(Number.NEGATIVE_INFINITY)
    expect(pace.freeAtMs(aMadeUpVendor({ id: 'xai' }))).toBe(Number.NEGATIVE_INFINITY)
    expect(pace.paused()).toMatchObject([{ provider: 'kimi' }])
  })

  it('goes on where an earlier process was, and doubles from there', async () => {
    const { clock, pace, vendor, pausedMinutes } = aPace()
    const resume = (minutes: number, inARow: number) =>
      pace.resume(vendor, {
        until: plusMs(clock.now(), minutes * MINUTE),
        inARow,
        reason: 'throttled',
      })
    resume(20, 3)
    resume(10, 1)
    expect(pausedMinutes()).toBe(20)
    await clock.advance(20 * MINUTE)

    expect(pace.take(vendor, throttled(), 'ann')).toMatchObject({ inARow: 4 })
    resume(100_000, 5)
    expect(pausedMinutes()).toBe(360)
  })

  it('that had ended before a restart still counts', () => {
    const { clock, pace, vendor } = aPace()
    pace.resume(vendor, { until: plusMs(clock.now(), -MINUTE), inARow: 2, reason: 'blocked' })

    expect(pace.paused()).toEqual([])
    expect(pace.take(vendor, throttled(), 'ann')).toMatchObject({ inARow: 3 })
  })

  it('without an end is over with a reload', () => {
    const { pace, vendor } = aPace({ revokedStops: true })
    pace.take(vendor, REVOKED, 'ann')
    expect(pace.freeAtMs(vendor)).toBe(Number.POSITIVE_INFINITY)
    pace.endStops()

    expect([pace.freeAtMs(vendor) < 1, pace.paused()]).toEqual([true, []])
  })
})

describe('turns of a vendor', () => {
  it('are one at a time and apart, counted from the end', async () => {
    const { clock, pace, vendor } = aPace()
    let freed = 0
    const stop = pace.onFree(() => {
      freed += 1
    })
    pace.begin(vendor)
    expect(pace.freeAtMs(vendor)).toBe(Number.POSITIVE_INFINITY)
    await clock.advance(700)
    pace.end(vendor)
    expect([pace.freeAtMs(vendor), freed]).toEqual([3_700, 1])
    stop()
    pace.begin(vendor)
    pace.end(vendor)
    expect(freed).toBe(1)
  })

  it('are free where they need not be apart', () => {
    const { pace, vendor } = aPace({ apartSeconds: 0 })
    pace.begin(vendor)

    expect(pace.freeAtMs(vendor)).toBe(Number.NEGATIVE_INFINITY)
  })

  it('are one at a time after a pause, until the vendor answers', async () => {
    const { clock, pace, vendor, pausedMinutes } = aPace({ apartSeconds: 0 })
    pace.take(vendor, throttled(), 'ann')
    await clock.advance(pausedMinutes() * MINUTE)
    pace.begin(vendor)
    expect(pace.freeAtMs(vendor)).toBe(Number.POSITIVE_INFINITY)

    pace.take(vendor, SAMPLE, 'ann')
    expect(pace.freeAtMs(vendor)).toBeLessThanOrEqual(clock.monotonicMs())
  })
})
