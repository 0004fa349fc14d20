import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultPolicy, evaluateSnapshot } from '../evaluate.ts'
import { type EpochMs, plusMs } from '../facts/time.ts'
import type { Snapshot } from '../health/snapshot.ts'
import { aLiveObservation, anAccount, aQuotaSample, evidenceOf, NOW } from '../testing/builders.ts'
import type { ChangeDetail } from './recent-changes.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEP = 10 * MINUTE

/** One account at the vendor. */
interface Vendor {
  expiresAt: EpochMs[]
  week: { percent: number; resetAt: EpochMs }
  fiveHour: { percent: number; resetAt: EpochMs }
}

const aVendor = (expiresInMs: readonly number[], week = 60): Vendor => ({
  expiresAt: expiresInMs.map((after) => plusMs(NOW, after)),
  week: { percent: week, resetAt: plusMs(NOW, 3 * DAY) },
  fiveHour: { percent: 70, resetAt: plusMs(NOW, 2 * HOUR + 3 * MINUTE) },
})

const spend = (vendor: Vendor, now: EpochMs) => {
  vendor.expiresAt.sort((one, other) => one - other).shift()
  vendor.week = { percent: 100, resetAt: plusMs(now, 7 * DAY) }
  vendor.fiveHour = { percent: 100, resetAt: plusMs(now, 5 * HOUR) }
}

/** Moves the account to this time: windows are used and begin again, resets lapse. Returns the number that lapsed. */
const pass = (vendor: Vendor, now: EpochMs): number => {
  for (const window of [vendor.week, vendor.fiveHour]) {
    window.percent = Math.max(0, window.percent - 1)
    if (window.resetAt > now) continue
    window.percent = 100
    window.resetAt = plusMs(now, window === vendor.week ? 7 * DAY : 5 * HOUR)
  }
  const left = vendor.expiresAt.filter((at) => at > now)
  const lapsed = vendor.expiresAt.length - left.length
  vendor.expiresAt = left
  return lapsed
}

/** Evaluations of these accounts, each after a reading of all of them. */
function monitorOf(vendors: readonly Vendor[]) {
  let previous: Snapshot | null = null
  const told: ChangeDetail[] = []
  return {
    told,
    read(now: EpochMs) {
      const entries = vendors.map(({ expiresAt, week, fiveHour }, index) => {
        const sample = aQuotaSample({}, { sampledAt: now, plan: 'plus' })
        const windows = sample.windows.map((window) => ({
          ...window,
          ...(window.id === 'week' ? week : fiveHour),
        }))
        const count = expiresAt.length
        const listQuery = { askedAt: now, count, outcome: 'answered' } as const
        const bankedResets = { count, sampledAt: now, expiresAt: [...expiresAt], listQuery }
        return [
          anAccount(`a${index}`, { email: `a${index}@example.com` }),
          evidenceOf([{ ...sample, windows }], { bankedResets }),
        ] as const
      })
      const known = new Set(previous?.recentChanges.map(({ detail }) => detail))
      const snapshot: Snapshot = evaluateSnapshot(
        aLiveObservation(entries, { accountRefreshSeconds: 3600 }),
        defaultPolicy,
        now,
        {
          previous,
          recordedChanges: [],
        },
      )
      told.push(
        ...snapshot.recentChanges.flatMap(({ detail }) => (known.has(detail) ? [] : [detail])),
      )
      previous = snapshot
    },
    countOf: (code: ChangeDetail['code']) =>
      told.reduce(
        (sum, detail) => sum + (detail.code === code && 'count' in detail ? detail.count : 0),
        0,
      ),
  }
}

describe('banked resets', () => {
  it('that arrive, are spent and lapse are told apart in any course', () => {
    const anyStep = fc.constantFrom('spend', 'arrive', 'nothing', 'nothing', 'nothing')
    const anyExpiries = fc.array(fc.integer({ min: 1, max: 20 * 60 }), { maxLength: 4 })
    fc.assert(
      fc.property(anyExpiries, fc.array(anyStep, { maxLength: 120 }), (minutes, steps) => {
        const vendor = aVendor(minutes.map((after) => after * MINUTE))
        const monitor = monitorOf([vendor])
        const truth = { spent: 0, lapsed: 0, arrived: 0 }
        monitor.read(NOW)
        for (const [index, step] of [...steps, 'nothing', 'nothing'].entries()) {
          const now = plusMs(NOW, (index + 1) * STEP)
          const mayGainQuota = vendor.week.percent < 80
          const soonest = Math.min(...vendor.expiresAt)
          if (step === 'spend' && vendor.expiresAt.length > 0 && mayGainQuota) {
            spend(vendor, plusMs(now, -MINUTE))
            truth.spent += 1
            truth.lapsed += pass(vendor, now)
          } else {
            truth.lapsed += pass(vendor, now)
            // An arrival that hides a lapse cannot be told from nothing.
            if (step === 'arrive' && soonest > now && vendor.expiresAt.length < 5) {
              vendor.expiresAt.push(plusMs(now, (index % 30) * HOUR + HOUR))
              truth.arrived += 1
            }
          }
          monitor.read(now)
        }

        expect({
          spent: monitor.countOf('banked_reset_spent'),
          lapsed: monitor.countOf('banked_reset_lapsed'),
          arrived: monitor.countOf('banked_reset_arrived'),
        }).toEqual(truth)
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 200 : 40 },
    )
  })

  it('that several owners spend at once are no reset by the vendor', () => {
    const vendors = [1, 2, 3, 4].map(() => aVendor([20 * DAY]))
    const monitor = monitorOf(vendors)
    monitor.read(NOW)
    for (const vendor of vendors) spend(vendor, NOW)
    for (const minutes of [10, 20, 30]) monitor.read(plusMs(NOW, minutes * MINUTE))

    expect(monitor.countOf('banked_reset_spent')).toBe(4)
    expect(monitor.told.map(({ code }) => code)).not.toContain('vendor_reset')
  })

  it('that stay leave a reset by the vendor one', () => {
    const vendors = [1, 2, 3, 4].map(() => aVendor([20 * DAY]))
    const monitor = monitorOf(vendors)
    monitor.read(NOW)
    for (const vendor of vendors) vendor.week = { percent: 100, resetAt: plusMs(NOW, 7 * DAY) }
    for (const minutes of [10, 20, 30]) monitor.read(plusMs(NOW, minutes * MINUTE))

    expect(monitor.countOf('banked_reset_spent')).toBe(0)
    expect(monitor.told.map(({ code }) => code)).toContain('vendor_reset')
  })

  it('that arrive at several accounts within ten minutes are one change', () => {
    const vendors = [1, 2, 3].map(() => aVendor([]))
    const monitor = monitorOf(vendors)
    monitor.read(NOW)
    for (const [index, vendor] of vendors.entries()) {
      vendor.expiresAt.push(plusMs(NOW, 30 * DAY))
      monitor.read(plusMs(NOW, (index + 1) * 3 * MINUTE))
    }
    expect(monitor.told).toEqual([])
    monitor.read(plusMs(NOW, 13 * MINUTE))

    expect(monitor.told).toEqual([
      {
        code: 'banked_reset_arrived',
        provider: 'codex',
        accountCount: 3,
        count: 3,
        accountKeys: ['key-a0', 'key-a1', 'key-a2'],
        seenAt: plusMs(NOW, 3 * MINUTE),
      },
    ])
  })

  it('that are fewer for no known reason are no change', () => {
    const vendor = aVendor([20 * DAY, 21 * DAY])
    const monitor = monitorOf([vendor])
    monitor.read(NOW)
    vendor.expiresAt.pop()
    for (const minutes of [10, 20, 40]) monitor.read(plusMs(NOW, minutes * MINUTE))

    expect(monitor.told).toEqual([])
  })
})
