import { type EpochMs, epochMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sampling } from './example-row.ts'
import { fiveHour, hours, month, rollingDay, scoped, week } from './moving-windows.ts'
import { evidenceAt, evidenceOnceAsked, windowPhaseMs } from './sampling.ts'
import { aRow } from './testing/a-row.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const evidenceOf = (sampling: Sampling, now: EpochMs = NOW) => {
  const evidence = evidenceAt(aRow({ sampling }), now)
  if (evidence === null) throw new Error('there is evidence of it')
  return evidence
}

const atAnyTime = (check: (now: EpochMs) => void) =>
  fc.assert(
    fc.property(fc.integer({ min: NOW, max: NOW + 7 * DAY_MS }), (ms) => check(epochMs(ms))),
    { numRuns: 300 },
  )

describe('what was read of an account', () => {
  it('is nothing where it was never queried', () => {
    expect(evidenceAt(aRow({ sampling: 'never' }), NOW)).toBeNull()
  })

  it.each<{ readonly sampling: Sampling; readonly minutes: readonly [number, number] }>([
    { sampling: 'primary', minutes: [0, 5] },
    { sampling: 'primary_and_headers', minutes: [0, 5] },
    { sampling: 'discovery', minutes: [20, 360] },
    // Older than its planned interval, so it is stale.
    { sampling: 'failing', minutes: [22, 42] },
    { sampling: 'refused', minutes: [105, 165] },
    { sampling: 'budgeted', minutes: [0, 15] },
    { sampling: 'budgeted_and_headers', minutes: [15, 40] },
    { sampling: 'budgeted_refused', minutes: [105, 165] },
  ])('$sampling is $minutes minutes old at all times', ({ sampling, minutes }) => {
    atAnyTime((now) => {
      const [direct] = evidenceOf(sampling, now).samples
      const age = (now - (direct?.sampledAt ?? Number.NaN)) / MINUTE_MS

      expect(age).toBeGreaterThanOrEqual(minutes[0])
      expect(age).toBeLessThan(minutes[1])
    })
  })

  it.each<{ readonly sampling: Sampling; readonly seconds: number }>([
    { sampling: 'primary', seconds: 300 },
    { sampling: 'discovery', seconds: 21_600 },
    { sampling: 'failing', seconds: 300 },
  ])('$sampling is planned every $seconds s', ({ sampling, seconds }) => {
    expect(evidenceOf(sampling).plannedIntervalSeconds).toBe(seconds)
  })

  it('of a failing query has a failure that is newer than the last sample', () => {
    atAnyTime((now) => {
      const { probeFailure, samples, refusedLogin } = evidenceOf('failing', now)

      expect(probeFailure).toMatchObject({ kind: 'failed', inARow: 3 })
      expect(probeFailure?.at).toBeGreaterThan(samples[0]?.sampledAt ?? 0)
      expect(probeFailure?.at).toBeLessThanOrEqual(now)
      expect(refusedLogin).toBeNull()
    })
  })

  it('of a refused login says so the same way twice', () => {
    const { probeFailure, refusedLogin } = evidenceOf('refused')

    expect(probeFailure).toMatchObject({ kind: 'auth', httpStatus: 401, inARow: 3 })
    expect(refusedLogin).toEqual({ inARow: 3, lastAt: probeFailure?.at, httpStatus: 401 })
  })

  it('of a refused login of another vendor has two refusals, far enough apart to mean it', () => {
    const { probeFailure, refusedLogin, samples } = evidenceOf('budgeted_refused')
    const { firstAt = NOW, lastAt = NOW } = refusedLogin ?? {}

    expect(probeFailure).toMatchObject({ kind: 'auth', at: lastAt, inARow: 2 })
    expect(lastAt - firstAt).toBeGreaterThanOrEqual(15 * MINUTE_MS)
    expect(firstAt).toBeGreaterThan(samples[0]?.sampledAt ?? NOW)
  })

  it('by headers alone has all its windows in them, and an answer without limits that names the plan', () => {
    const windows = [rollingDay({ percent: [90, 80], resetsInMinutes: hours(24, 0.1) })]
    const samples = evidenceAt(aRow({ sampling: 'headers', windows }), NOW)?.samples

    expect(samples?.map(({ origin, plan, reportsNone }) => [origin, plan, reportsNone])).toEqual([
      ['direct', 'plus', true],
      ['headers', null, undefined],
    ])
    expect(samples?.map((sample) => sample.windows.map(({ id }) => id))).toEqual([[], ['day']])
  })

  it('of a disabled account stands in its own probe, not among the samples', () => {
    const { samples, disabledProbe } = evidenceOf('disabled_probe')

    expect(samples).toEqual([])
    expect(disabledProbe).toMatchObject({ state: 'ok', sample: { origin: 'direct' } })
  })

  it('by headers has the main windows alone, and no plan', () => {
    const windows = [
      fiveHour({ percent: [90, 80], resetsInMinutes: hours(5, 0.1) }),
      week({ percent: [80, 60], resetsInMinutes: hours(160, 10) }),
      month({ percent: [70, 50], resetsInMinutes: hours(700, 10) }),
    ]
    const samples = evidenceAt(aRow({ sampling: 'primary_and_headers', windows }), NOW)?.samples

    expect(samples?.map(({ origin, plan }) => [origin, plan])).toEqual([
      ['direct', 'plus'],
      ['headers', null],
    ])
    expect(samples?.map((sample) => sample.windows.map(({ id }) => id))).toEqual([
      ['5h', 'week', 'month'],
      ['5h', 'week'],
    ])
  })

  it('has reached a limit exactly where a window is at 0', () => {
    const at = (percent: number) =>
      aRow({ windows: [fiveHour({ percent: [percent, percent], resetsInMinutes: hours(5, 0.1) })] })
    const reached = (percent: number) => evidenceAt(at(percent), NOW)?.samples[0]?.limitReached

    expect([reached(0), reached(1)]).toEqual([true, false])
  })

  it('has reached no limit of the account where one of another scope is at 0', () => {
    const used = scoped('premium', week({ percent: [0, 0], resetsInMinutes: hours(160, 10) }))

    expect(evidenceAt(aRow({ windows: [used] }), NOW)?.samples[0]?.limitReached).toBe(false)
  })

  it('of a spend limit has no time at which it ends', () => {
    const sample = evidenceAt(aRow({ condition: 'spend_reached' }), NOW)?.samples[0]

    expect(sample?.spendReached).toEqual({ resetAt: null })
    expect(evidenceAt(aRow(), NOW)?.samples[0]?.spendReached).toBeNull()
  })

  it('of two files of one account stands in the same cycle, read at another beat', () => {
    const [one, other] = [aRow(), aRow({ authIndex: '00000111a1abdebd' })]
    const sampledAt = (row: typeof one) => evidenceAt(row, NOW)?.samples[0]?.sampledAt

    expect(windowPhaseMs(one)).toBe(windowPhaseMs(other))
    expect(sampledAt(one)).not.toBe(sampledAt(other))
  })
})

describe('what is known once it was asked about by hand', () => {
  const ASKED = epochMs(NOW + 999)
  const asked = (sampling: Sampling, changes: Parameters<typeof aRow>[0] = {}) => {
    const row = aRow({ sampling, ...changes })
    const known = evidenceAt(row, NOW)
    return { known, now: evidenceOnceAsked(row, known, ASKED) }
  }

  it.each<{ readonly sampling: Sampling }>([
    { sampling: 'primary' },
    { sampling: 'primary_and_headers' },
    { sampling: 'discovery' },
  ])('is a new direct sample of $sampling, beside the others', ({ sampling }) => {
    const { known, now } = asked(sampling)

    expect(now?.samples[0]).toMatchObject({ origin: 'direct', sampledAt: NOW })
    expect(now?.samples.slice(1)).toEqual(known?.samples.slice(1))
  })

  it.each<{ readonly sampling: Sampling }>([
    { sampling: 'failing' },
    { sampling: 'refused' },
    { sampling: 'never' },
  ])('is what was known before of $sampling, which the vendor does not answer', ({ sampling }) => {
    const { known, now } = asked(sampling)

    expect(now).toBe(known)
  })

  it('is the reading of its turn again once that is newer', () => {
    const row = aRow({ sampling: 'primary' })
    const later = evidenceAt(row, epochMs(NOW + 60 * MINUTE_MS))

    expect(evidenceOnceAsked(row, later, ASKED)).toBe(later)
  })

  it.each<{ readonly sampling: Sampling; readonly state: string }>([
    { sampling: 'disabled_probe', state: 'ok' },
    { sampling: 'never', state: 'auth_invalid' },
  ])('is a probe of a disabled account that was $sampling: $state', ({ sampling, state }) => {
    const { now } = asked(sampling, { condition: 'disabled' })

    expect(now?.disabledProbe).toMatchObject({ state, probedAt: ASKED })
    expect(now?.samples).toEqual([])
  })
})
