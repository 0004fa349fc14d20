import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultNeed, type GuardFacts, type GuardNeed, guardOf } from './guard.ts'

type Units = NonNullable<GuardFacts['capacity']>

const units = (changes: Partial<Units> = {}): Units => ({
  trackedUnits: 10,
  usableUnits: 5,
  usableStaleUnits: 0,
  unknownUnits: 0,
  ...changes,
})

const facts = (changes: Partial<GuardFacts> = {}): GuardFacts => ({
  source: 'live',
  ageSeconds: 20,
  routableCount: 3,
  capacity: units(),
  ...changes,
})

const judged = (changes: Partial<GuardFacts>, need: Partial<GuardNeed> = {}) => {
  const { verdict, reason } = guardOf(facts(changes), { ...defaultNeed, ...need })
  return `${verdict}: ${reason}`
}

describe('the guard', () => {
  it.each<[string, Partial<GuardFacts>, Partial<GuardNeed>, string]>([
    ['as much as is needed', { capacity: units({ usableUnits: 2 }) }, {}, 'enough: enough'],
    [
      'a thousandth less',
      { capacity: units({ usableUnits: 1.999 }) },
      {},
      'not_enough: too_few_units',
    ],
    ['as many accounts as are needed', {}, { minAccounts: 3 }, 'enough: enough'],
    ['one account less', { routableCount: 2 }, { minAccounts: 3 }, 'not_enough: too_few_accounts'],
    ['none routable', { routableCount: 0 }, { minUnits: 0 }, 'not_enough: too_few_accounts'],
    ['accounts alone', { capacity: null }, { minUnits: 0 }, 'enough: enough'],
    ['a list as old as it may be', { ageSeconds: 300 }, {}, 'enough: enough'],
    ['an older one', { ageSeconds: 301 }, {}, 'unknown: stale'],
    ['an older one that may be', { ageSeconds: 301 }, { staleOk: true }, 'enough: enough'],
    ['an age that nobody knows', { ageSeconds: null }, {}, 'unknown: age_unknown'],
    ['a stale list', { source: 'stale' }, {}, 'unknown: stale'],
    ['a stale list that may be', { source: 'stale' }, { staleOk: true }, 'enough: enough'],
    ['no list', { source: 'unavailable' }, { staleOk: true }, 'unknown: no_reading'],
    ['a kind that is not known', { source: 'remembered' }, {}, 'unknown: no_reading'],
    ['a list of one proxy of two', { source: 'partial' }, {}, 'enough: enough'],
    ['no capacity', { capacity: null }, {}, 'unknown: no_capacity'],
    ['a window that no account has', { hasWindow: false }, {}, 'unknown: no_window'],
    [
      'no window, of which nothing is needed',
      { hasWindow: false },
      { minUnits: 0 },
      'enough: enough',
    ],
    ['no window by an old list', { hasWindow: false, source: 'stale' }, {}, 'unknown: stale'],
    [
      'plans that are not tracked',
      { capacity: units({ trackedUnits: 0, usableUnits: 0 }) },
      {},
      'unknown: no_capacity',
    ],
    [
      'plans that nobody has read, none of which counts yet',
      { hasUnweighed: true, capacity: units({ trackedUnits: 0, usableUnits: 0 }) },
      {},
      'unknown: units_unknown',
    ],
    [
      'too few of those whose plans were read',
      { hasUnweighed: true, capacity: units({ usableUnits: 1 }) },
      {},
      'unknown: units_unknown',
    ],
    [
      'enough by stale readings alone',
      { capacity: units({ usableUnits: 3.3, usableStaleUnits: 1.301 }) },
      {},
      'unknown: units_stale',
    ],
    [
      'the same where these count',
      { capacity: units({ usableUnits: 3.3, usableStaleUnits: 1.301 }) },
      { staleOk: true },
      'enough: enough',
    ],
    // 2.3 - 0.3 is less than 2 in binary.
    [
      'enough without the stale ones',
      { capacity: units({ usableUnits: 2.3, usableStaleUnits: 0.3 }) },
      {},
      'enough: enough',
    ],
    [
      'enough if what was never read were full',
      { capacity: units({ usableUnits: 1, unknownUnits: 1 }) },
      {},
      'unknown: units_unknown',
    ],
    [
      'too few even then',
      { capacity: units({ usableUnits: 1, unknownUnits: 0.999 }) },
      {},
      'not_enough: too_few_units',
    ],
  ])('%s', (_title, changes, need, expected) => {
    expect(judged(changes, need)).toBe(expected)
  })

  it('tells no units of a window that no account has', () => {
    expect(guardOf(facts({ hasWindow: false }), defaultNeed)).toMatchObject({
      units: null,
      staleUnits: null,
      unknownUnits: null,
    })
  })

  it('tells no units while none were read', () => {
    const capacity = units({ usableUnits: 0, unknownUnits: 10 })

    expect(guardOf(facts({ capacity }), defaultNeed)).toMatchObject({
      reason: 'units_unknown',
      units: null,
      unknownUnits: 10,
    })
  })

  it('tells the numbers that it compared', () => {
    const pool = facts({ capacity: units({ usableStaleUnits: 1, unknownUnits: 4 }) })

    expect(guardOf(pool, { ...defaultNeed, minUnits: 4.5 })).toEqual({
      verdict: 'unknown',
      reason: 'units_stale',
      window: 'week',
      minUnits: 4.5,
      minAccounts: 1,
      maxAgeSeconds: 300,
      staleOk: false,
      units: 4,
      staleUnits: 1,
      unknownUnits: 4,
      routableCount: 3,
      ageSeconds: 20,
    })
  })
})

const anyUnits = fc.integer({ min: 0, max: 20_000 }).map((thousandths) => thousandths / 1000)
const anyCapacity = fc
  .record({
    usableUnits: anyUnits,
    staleShare: fc.double({ min: 0, max: 1, noNaN: true }),
    unknownUnits: anyUnits,
    rest: anyUnits,
  })
  .map(({ usableUnits, staleShare, unknownUnits, rest }) => ({
    trackedUnits: usableUnits + unknownUnits + rest,
    usableUnits,
    usableStaleUnits: Math.floor(usableUnits * staleShare * 1000) / 1000,
    unknownUnits,
  }))
const anyFacts: fc.Arbitrary<GuardFacts> = fc.record({
  source: fc.constantFrom('live', 'partial', 'stale', 'unavailable', 'demo'),
  ageSeconds: fc.option(fc.nat(1000)),
  routableCount: fc.nat(5),
  capacity: fc.option(anyCapacity),
})
const anyNeed: fc.Arbitrary<GuardNeed> = fc.record({
  window: fc.constantFrom('5h', 'week'),
  minUnits: anyUnits,
  minAccounts: fc.nat(5),
  maxAgeSeconds: fc.nat(1000),
  staleOk: fc.boolean(),
})

describe('whatever the pool and the need', () => {
  it('enough is what fresh readings show, on enough accounts, of a list that is fresh', () => {
    fc.assert(
      fc.property(anyFacts, anyNeed, (pool, need) => {
        const { verdict, units: counted } = guardOf(pool, need)
        if (verdict !== 'enough') return
        expect(pool.source).not.toBe('unavailable')
        expect(pool.routableCount).toBeGreaterThanOrEqual(need.minAccounts)
        if (need.minUnits > 0) expect(counted).toBeGreaterThanOrEqual(need.minUnits)
        if (need.staleOk) return
        expect(pool.source).not.toBe('stale')
        expect(pool.ageSeconds ?? Number.NaN).toBeLessThanOrEqual(need.maxAgeSeconds)
        if (need.minUnits > 0 && pool.capacity !== null)
          expect(pool.capacity.usableUnits - pool.capacity.usableStaleUnits).toBeGreaterThan(
            need.minUnits - 0.0005,
          )
      }),
    )
  })

  it('who needs less is never told no after a yes', () => {
    fc.assert(
      fc.property(anyFacts, anyNeed, anyNeed, (pool, need, less) => {
        const smaller: GuardNeed = {
          window: need.window,
          minUnits: Math.min(need.minUnits, less.minUnits),
          minAccounts: Math.min(need.minAccounts, less.minAccounts),
          maxAgeSeconds: Math.max(need.maxAgeSeconds, less.maxAgeSeconds),
          staleOk: need.staleOk || less.staleOk,
        }
        if (guardOf(pool, need).verdict === 'enough')
          expect(guardOf(pool, smaller).verdict).toBe('enough')
      }),
    )
  })

  it('a need that is no number is never met', () => {
    fc.assert(
      fc.property(
        anyFacts,
        anyNeed,
        fc.constantFrom('minUnits', 'minAccounts', 'maxAgeSeconds'),
        (pool, need, member) => {
          const given = { ...need, staleOk: false, [member]: Number.NaN }
          expect(guardOf(pool, given).verdict).not.toBe('enough')
        },
      ),
    )
  })
})
