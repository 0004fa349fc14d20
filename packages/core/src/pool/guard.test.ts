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

const having = (changes: Parameters<typeof units>[0]) => ({ capacity: units(changes) })

const judged = (changes: Partial<GuardFacts>, need: Partial<GuardNeed> = {}) => {
  const { verdict, reason } = guardOf(facts(changes), { ...defaultNeed, ...need })
  return `${verdict}: ${reason}`
}

describe('the guard', () => {
  it.for<
    readonly [
      why: string,
      verdict: string,
      changes?: Partial<GuardFacts>,
      need?: Partial<GuardNeed>,
    ]
  >([
    ['as much as is needed', 'enough: enough', having({ usableUnits: 2 })],
    ['a thousandth less', 'not_enough: too_few_units', having({ usableUnits: 1.999 })],
    ['as many accounts as are needed', 'enough: enough', {}, { minAccounts: 3 }],
    ['one account less', 'not_enough: too_few_accounts', { routableCount: 2 }, { minAccounts: 3 }],
    ['none routable', 'not_enough: too_few_accounts', { routableCount: 0 }, { minUnits: 0 }],
    ['accounts alone', 'enough: enough', { capacity: null }, { minUnits: 0 }],
    ['a list as old as it may be', 'enough: enough', { ageSeconds: 300 }],
    ['an older one', 'unknown: stale', { ageSeconds: 301 }],
    ['an older one that may be', 'enough: enough', { ageSeconds: 301 }, { staleOk: true }],
    ['an age that nobody knows', 'unknown: age_unknown', { ageSeconds: null }],
    ['a stale list', 'unknown: stale', { source: 'stale' }],
    ['a stale list that may be', 'enough: enough', { source: 'stale' }, { staleOk: true }],
    ['no list', 'unknown: no_reading', { source: 'unavailable' }, { staleOk: true }],
    ['a kind that is not known', 'unknown: no_reading', { source: 'remembered' }],
    ['a list of one proxy of two', 'enough: enough', { source: 'partial' }],
    ['no capacity', 'unknown: no_capacity', { capacity: null }],
    ['a window that no account has', 'unknown: no_window', { hasWindow: false }],
    [
      'no window, of which nothing is needed',
      'enough: enough',
      { hasWindow: false },
      { minUnits: 0 },
    ],
    ['no window by an old list', 'unknown: stale', { hasWindow: false, source: 'stale' }],
    [
      'plans that are not tracked',
      'unknown: no_capacity',
      having({ trackedUnits: 0, usableUnits: 0 }),
    ],
    [
      'plans that nobody has read, none of which counts yet',
      'unknown: units_unknown',
      { hasUnweighed: true, capacity: units({ trackedUnits: 0, usableUnits: 0 }) },
    ],
    [
      'too few of those whose plans were read',
      'unknown: units_unknown',
      { hasUnweighed: true, capacity: units({ usableUnits: 1 }) },
    ],
    [
      'enough by stale readings alone',
      'unknown: units_stale',
      having({ usableUnits: 3.3, usableStaleUnits: 1.301 }),
    ],
    [
      'the same where these count',
      'enough: enough',
      having({ usableUnits: 3.3, usableStaleUnits: 1.301 }),
      { staleOk: true },
    ],
    // 2.3 - 0.3 is less than 2 in binary.
    [
      'enough without the stale ones',
      'enough: enough',
      having({ usableUnits: 2.3, usableStaleUnits: 0.3 }),
    ],
    [
      'enough if what was never read were full',
      'unknown: units_unknown',
      having({ usableUnits: 1, unknownUnits: 1 }),
    ],
    [
      'too few even then',
      'not_enough: too_few_units',
      having({ usableUnits: 1, unknownUnits: 0.999 }),
    ],
  ])('$0: $1', ([, expected, changes = {}, need = {}]) => {
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
