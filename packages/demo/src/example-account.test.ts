import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exampleAccountAt } from './example-account.ts'
import { SAMPLE_POOL } from './example-pool.ts'
import type { ExampleRow } from './example-row.ts'
import { fiveHour, hours } from './moving-windows.ts'
import { aRow } from './testing/a-row.ts'

const DAY_MS = 24 * 3_600_000

const listedAt = (row: ExampleRow, now: EpochMs = NOW, ageMs = 5_000) =>
  exampleAccountAt(row, { now, observedAt: plusMs(now, -ageMs) })

const atAnyTime = (check: (now: EpochMs) => void) =>
  fc.assert(
    fc.property(fc.integer({ min: NOW, max: NOW + 7 * DAY_MS }), (ms) => check(epochMs(ms))),
    { numRuns: 200 },
  )

describe('an account of the pool', () => {
  it('is who its row says', () => {
    const row = aRow()

    expect(listedAt(row).account).toMatchObject({
      title: row.title,
      selector: {
        authName: row.authName,
        authIndex: row.authIndex,
        accountKey: row.accountKey,
      },
      claimedPlan: 'plus',
    })
  })

  it('claims another plan than it has where its row says so, and has none where nobody knows', () => {
    expect(listedAt(aRow({ plan: 'pro', claimedPlan: 'plus' })).account.claimedPlan).toBe('plus')
    expect(listedAt(aRow({ plan: null })).account.claimedPlan).toBeNull()
  })

  it('pays by the month, each month anew, and ends a while ago once it is deactivated', () => {
    atAnyTime((now) => {
      const until = (changes: Partial<ExampleRow>) =>
        listedAt(aRow(changes), now).account.subscribedUntil
      expect((until({}) ?? 0) - now).toBeLessThanOrEqual(30 * DAY_MS)
      expect(until({})).toBeGreaterThan(now - 5_000)
      expect(until({ condition: 'deactivated' })).toBeLessThan(now - 8 * DAY_MS)
      expect(until({ plan: 'enterprise' })).toBeNull()
    })
  })

  it('is paid for more than a week, but for one that always has three days left', () => {
    atAnyTime((now) => {
      const daysOf = (row: ExampleRow) =>
        ((listedAt(row, now).account.subscribedUntil ?? Number.POSITIVE_INFINITY) - now) / DAY_MS
      const soon = SAMPLE_POOL.filter(({ condition }) => condition !== 'deactivated')
        .map((row) => ({ name: row.title, days: daysOf(row) }))
        .filter(({ days }) => days < 7.9)

      expect(soon.map(({ name, days }) => [name, Math.round(days - 0.5)])).toEqual([
        ['old-laptop@example.com', 3],
      ])
    })
  })

  it('that failed has sent nothing since, except while it is only degraded', () => {
    atAnyTime((now) => {
      const cooling = listedAt(aRow({ condition: 'auth_invalid' }), now).account
      expect(cooling.lastSuccessAt ?? 0).toBeLessThanOrEqual(cooling.messageAt ?? 0)
    })
    const degraded = listedAt(aRow({ condition: 'degraded', requestsPerSlot: 60 })).account
    expect(degraded.lastSuccessAt).toBeGreaterThan(degraded.messageAt ?? Number.POSITIVE_INFINITY)
  })

  it('that is used up has a message of the cycle that its newest sample shows', () => {
    const windows = [fiveHour({ percent: [0, 0], resetsInMinutes: hours(4, 1) })]
    atAnyTime((now) => {
      const { account, evidence } = listedAt(aRow({ condition: 'used_up', windows }), now)

      expect(account.nextRetryAt).toBe(evidence?.samples[0]?.windows[0]?.resetAt)
    })
  })

  it('that was never queried is listed all the same', () => {
    const { account, evidence } = listedAt(aRow({ sampling: 'never' }))

    expect(evidence).toBeNull()
    expect(account.upstreamStatus).toBe('active')
  })

  it('was changed two to three days before it was listed', () => {
    atAnyTime((now) => {
      const age = plusMs(now, -5_000) - (listedAt(aRow(), now).account.modifiedAt ?? 0)

      expect(age).toBeGreaterThanOrEqual(2 * DAY_MS)
      expect(age).toBeLessThan(3 * DAY_MS)
    })
  })
})
