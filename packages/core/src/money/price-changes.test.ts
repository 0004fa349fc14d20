import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../facts/time.ts'
import { bandOf } from '../usage/rate.ts'
import { addedCost, noCost } from '../usage/usage-cost.ts'
import {
  type BandRates,
  type DatedPrice,
  type ModelRates,
  type PricedBy,
  priceBookOf,
  type TokenRates,
  tokenCostOf,
} from './price-book.ts'
import { pricesAfterReading } from './price-changes.ts'

const DAY = 20_000
const sourceOf = (day: number) =>
  ({ kind: 'litellm', sha256: `${day}`, readAt: epochMs(day * 86_400_000) }) as const
const flat = (rate: number): ModelRates => [
  { tier: null, band: 0, rates: { in: rate, read: null, write: null, out: rate } },
]
const after = (
  inForce: readonly DatedPrice[],
  models: readonly string[],
  file: Readonly<Record<string, ModelRates>>,
  today = DAY,
) =>
  pricesAfterReading({
    inForce,
    models,
    file: { models: new Map(Object.entries(file)) },
    source: sourceOf(today),
    today,
  })
const price = (model: string, fromDay: number, rate: number, readOn = 0): DatedPrice => ({
  model,
  fromDay,
  rates: flat(rate),
  source: sourceOf(readOn),
})

describe('pricesAfterReading', () => {
  it.each([
    ['a first price from the beginning', [], { m: flat(1) }, [[0, 1]]],
    ['a changed price from today on', [price('m', 0, 1)], { m: flat(2) }, [[DAY, 2]]],
    ['nothing of the same price', [price('m', 0, 1)], { m: flat(1) }, []],
    ['nothing of a model that is gone', [price('m', 0, 1)], {}, []],
    [
      'the price before the newest',
      [price('m', 5, 2), price('m', 0, 1)],
      { m: flat(1) },
      [[DAY, 1]],
    ],
    [
      'no day before the newest, if the clock went back',
      [price('m', DAY + 9, 2)],
      { m: flat(1) },
      [[DAY + 9, 1]],
    ],
  ] as const)('adds %s', (_, inForce, file, expected) => {
    const added = after(inForce, ['m', 'm'], file)
    expect(added.map(({ fromDay, rates }) => [fromDay, rates[0]?.rates.in])).toEqual(expected)
  })

  it('finds a model by the names of its spelling, and keeps that of the store', () => {
    expect(after([], ['Team/M(high)', 'm-turbo'], { m: flat(1) })).toEqual([
      { ...price('Team/M(high)', 0, 1), source: sourceOf(DAY) },
    ])
  })

  it('takes the order of rates for no change', () => {
    const rates: ModelRates = [
      ...flat(1),
      { tier: 'flex', band: 0, rates: { in: 3, read: 4, write: 5, out: 6 } },
    ]
    const inForce = after([], ['m'], { m: rates })
    expect(after(inForce, ['m'], { m: rates.toReversed() }, DAY + 1)).toEqual([])
  })
})

const models = ['a', 'b', 'c']
const count = fc.integer({ min: 0, max: 150_000 })
const classes = fc.record({
  tokensIn: count,
  tokensCached: count,
  tokensWritten: count,
  tokensOut: count,
})
const pico = fc.integer({ min: 1, max: 1_000_000_000 })
const tokenRates = (missing: fc.Arbitrary<number | null>) =>
  fc.record({ in: missing, read: fc.option(pico), write: fc.option(pico), out: missing })
const lowest = (tier: BandRates['tier']) =>
  tokenRates(pico).map((rates): BandRates => ({ tier, band: 0, rates }))
const higher = fc.record({
  tier: fc.constantFrom(null, 'priority' as const),
  band: fc.integer({ min: 1, max: 3 }),
  rates: tokenRates(fc.option(pico)),
})
const modelRates: fc.Arbitrary<ModelRates> = fc
  .tuple(
    lowest(null),
    fc.option(lowest('priority'), { nil: undefined }),
    fc.uniqueArray(higher, { selector: ({ tier, band }) => `${tier} ${band}` }),
  )
  .map(([standard, priority, more]) =>
    priority === undefined
      ? [standard, ...more.filter(({ tier }) => tier === null)]
      : [standard, priority, ...more],
  )
const file = fc.dictionary(fc.constantFrom(...models), modelRates)
const times = fc.integer({ min: 0, max: 1_000_000 })
const tier = fc.constantFrom(null, 'priority' as const, 'flex' as const)

const asked: PricedBy = {
  model: 'a',
  tier: null,
  band: 0,
  day: DAY,
  provider: 'codex',
  account: null,
}
const bookOf = (stored: readonly DatedPrice[], factor = 10_000) =>
  priceBookOf({
    stored,
    own: {
      rates: [],
      multipliers: [{ of: { provider: 'codex' }, times: factor, fromDay: 0 }],
    },
    refused: new Map(),
  })
const wholeOf = (one: Readonly<Record<string, number>>) =>
  Object.values(one).reduce((sum, more) => sum + more, 0)

describe('prices', () => {
  it('change no day before today by a new file, and nothing by the same file', () => {
    fc.assert(
      fc.property(fc.array(file, { minLength: 2, maxLength: 5 }), tier, (files, askedTier) => {
        let stored: readonly DatedPrice[] = []
        files.forEach((one, index) => {
          const today = DAY + index
          const next = [...stored, ...after(stored, models, one, today)]
          expect(after(next, models, one, today)).toEqual([])
          for (const model of models)
            for (const day of [0, DAY, today - 1]) {
              const before = bookOf(stored).priceOf({ ...asked, model, tier: askedTier, day })
              const now = bookOf(next).priceOf({ ...asked, model, tier: askedTier, day })
              if (day < today && before !== 'model') expect(now).toEqual(before)
            }
          stored = next
        })
      }),
    )
  })

  it('add up to the same cost however tokens are split, and double with the rates', () => {
    fc.assert(
      fc.property(
        modelRates,
        fc.array(classes, { minLength: 1 }),
        times,
        (rates, parts, factor) => {
          const stored = after([], ['a'], { a: rates })
          const found = bookOf(stored, factor).priceOf(asked)
          const whole = parts.reduce((sum, one) => ({
            tokensIn: sum.tokensIn + one.tokensIn,
            tokensCached: sum.tokensCached + one.tokensCached,
            tokensWritten: sum.tokensWritten + one.tokensWritten,
            tokensOut: sum.tokensOut + one.tokensOut,
          }))
          const costOf = (one: typeof whole, at = found) =>
            tokenCostOf(at, { ...one, tokens: wholeOf(one) })
          const cost = costOf(whole)
          expect(
            parts.map((one) => costOf(one)).reduce((sum, one) => addedCost(sum, one), noCost),
          ).toEqual(cost)
          expect(cost.units >= 0n).toBe(true)
          const twice = rates.map((one) => ({ ...one, rates: doubled(one.rates) }))
          const dearer = bookOf(after([], ['a'], { a: twice }), factor).priceOf(asked)
          expect(costOf(whole, dearer).units).toBe(2n * cost.units)
        },
      ),
    )
  })

  it('are those of a second reckoning in fractions', () => {
    fc.assert(
      fc.property(modelRates, tier, classes, times, (rates, askedTier, counts, factor) => {
        const found = bookOf(after([], ['a'], { a: rates }), factor).priceOf({
          ...asked,
          tier: askedTier,
          band: bandOf(counts),
        })
        const expected = reckonedUsd(rates, askedTier, counts, factor)
        if (expected === null) {
          expect(found).toBe('tier')
          return
        }
        const { units } = tokenCostOf(found, { ...counts, tokens: wholeOf(counts) })
        expect(units * expected.below).toBe(expected.above * 10n ** 16n)
      }),
      { numRuns: 500 },
    )
  })
})

function doubled({ in: input, read, write, out }: TokenRates): TokenRates {
  const twice = (rate: number | null) => (rate === null ? null : rate * 2)
  return { in: twice(input), read: twice(read), write: twice(write), out: twice(out) }
}

interface Fraction {
  readonly above: bigint
  readonly below: bigint
}
const sum = (one: Fraction, other: Fraction): Fraction => ({
  above: one.above * other.below + other.above * one.below,
  below: one.below * other.below,
})

/** Dollars of a request by the rule, written down once more: each class by itself, from its band downwards. Null: the tier has no price. */
function reckonedUsd(
  rates: ModelRates,
  tier: BandRates['tier'],
  counts: Readonly<Record<'tokensIn' | 'tokensCached' | 'tokensWritten' | 'tokensOut', number>>,
  factor: number,
): Fraction | null {
  const input = counts.tokensIn + counts.tokensCached + counts.tokensWritten
  const band = input <= 128_000 ? 0 : input <= 200_000 ? 1 : input <= 272_000 ? 2 : 3
  const listed = (of: BandRates['tier'], at: number) =>
    rates.find((one) => one.tier === of && one.band === at)?.rates
  const top = (of: BandRates['tier'], at: number): number =>
    at < 0 || listed(of, at) !== undefined ? at : top(of, at - 1)
  const stated = (of: BandRates['tier'], name: keyof TokenRates, at = band): bigint | null => {
    if (at < 0) return null
    const rate = listed(of, at)?.[name] ?? null
    return rate === null ? stated(of, name, at - 1) : BigInt(rate)
  }
  const rateOf = (of: BandRates['tier'], name: keyof TokenRates) =>
    stated(of, name) ?? stated(of, 'in') ?? 0n
  if (top(tier, band) < 0) return null
  const isSurcharged = top(null, band) > top(tier, band)
  const named = [
    ['in', counts.tokensIn],
    ['read', counts.tokensCached],
    ['write', counts.tokensWritten],
    ['out', counts.tokensOut],
  ] as const
  return named
    .map(([name, tokens]): Fraction => {
      const own = rateOf(tier, name)
      const standard = rateOf(null, name)
      const rate = isSurcharged && standard > own ? standard : own
      return { above: rate * BigInt(tokens) * BigInt(factor), below: 10n ** 12n * 10_000n }
    })
    .reduce(sum)
}
