import { describe, expect, it } from 'vitest'
import { DAY_MS, epochMs } from '../facts/time.ts'
import { nanoUsdOf } from '../usage/usage-cost.ts'
import { modelNamesOf } from './model-names.ts'
import {
  type DatedPrice,
  dayOf,
  type ModelRates,
  type OwnPrices,
  type PricedBy,
  priceBookOf,
  tokenCostOf,
} from './price-book.ts'

const READ_AT = epochMs(Date.UTC(2026, 6, 1, 12))
const noOwn: OwnPrices = { rates: [], multipliers: [] }
const ratesOf = (input: number, read: number | null, write: number | null, out: number) => ({
  in: input,
  read,
  write,
  out,
})
const standard: ModelRates = [
  { tier: null, band: 0, rates: ratesOf(5, 1, null, 30) },
  { tier: null, band: 3, rates: ratesOf(10, null, null, 45) },
  { tier: 'priority', band: 0, rates: ratesOf(9, 2, null, 60) },
]
const stored = (rates = standard): DatedPrice => ({
  model: 'm',
  fromDay: 0,
  rates,
  source: { kind: 'litellm', sha256: 'a', readAt: READ_AT },
})
const asked: PricedBy = {
  model: 'm',
  tier: null,
  band: 0,
  day: dayOf(READ_AT),
  provider: 'codex',
  account: null,
}
const tokens = { tokens: 10, tokensIn: 1, tokensCached: 2, tokensWritten: 3, tokensOut: 4 }
const costIn = (priced: Partial<PricedBy>, own = noOwn) =>
  tokenCostOf(
    priceBookOf({ stored: [stored()], own, refused: new Map([['z', 'zero']]) }).priceOf({
      ...asked,
      ...priced,
    }),
    tokens,
  )

describe('priceBookOf', () => {
  it.each([
    ['the rates of the tier and band', {}, 1 * 5 + 2 * 1 + 3 * 5 + 4 * 30, 3],
    ['the band below where the file has none', { band: 2 }, 1 * 5 + 2 * 1 + 3 * 5 + 4 * 30, 3],
    ['the class of the band below', { band: 3 }, 1 * 10 + 2 * 1 + 3 * 10 + 4 * 45, 5],
    [
      'the dearer of tier and band',
      { band: 3, tier: 'priority' },
      1 * 10 + 2 * 2 + 3 * 10 + 4 * 60,
      10,
    ],
    ['the rates of a tier', { tier: 'priority' }, 1 * 9 + 2 * 2 + 3 * 9 + 4 * 60, 3],
    ['all assumed before the file was read', { day: dayOf(READ_AT) - 1 }, 142, 10],
  ] as const)('takes %s', (_, priced, picoUsd, assumedTokens) => {
    expect(costIn(priced)).toEqual({
      units: BigInt(picoUsd) * 10_000n,
      unpricedTokens: 0,
      assumedTokens,
    })
  })

  it.each([
    ['classes', { band: null }],
    ['model', { model: 'other' }],
    ['zero', { model: 'Z' }],
    ['tier', { tier: 'flex' }],
    ['tier', { tier: 'unknown' }],
  ] as const)('has no price because of %s', (reason, priced) => {
    const book = priceBookOf({ stored: [stored()], own: noOwn, refused: new Map([['z', 'zero']]) })
    expect(book.priceOf({ ...asked, ...priced })).toBe(reason)
    expect(costIn(priced)).toEqual({ units: 0n, unpricedTokens: 10, assumedTokens: 0 })
  })

  it('takes own rates and multipliers from their day on', () => {
    const own: OwnPrices = {
      rates: [
        {
          model: 'm',
          fromDay: asked.day,
          rates: [{ tier: null, band: 0, rates: ratesOf(1, 1, 1, 1) }],
          source: null,
        },
      ],
      multipliers: [
        { of: { provider: 'codex' }, times: 3_000, fromDay: 0 },
        { of: { provider: 'codex' }, times: 5_000, fromDay: asked.day },
        { of: { account: 'a' }, times: 12_500, fromDay: 0 },
      ],
    }
    expect(costIn({}, own).units).toBe(10n * 5_000n)
    expect(costIn({ account: 'a' }, own).units).toBe(10n * 12_500n)
    expect(costIn({ day: asked.day - 1 }, own).units).toBe(142n * 3_000n)
    const facts = { stored: [stored()], own, refused: new Map() }
    const old = priceBookOf({ ...facts, tiersFromDay: asked.day + 1 })
    expect(tokenCostOf(old.priceOf(asked), tokens).assumedTokens).toBe(10)
    expect(old.starts).toContain((asked.day + 1) * DAY_MS)
    const book = priceBookOf(facts)
    expect(tokenCostOf(book.priceOf(asked), tokens).assumedTokens).toBe(0)
    expect(book).toMatchObject({ isByAccount: true, starts: [0, asked.day * DAY_MS] })
  })
})

it('tries a model by the names of its spelling', () => {
  expect(modelNamesOf('Team/Claude-Opus-4-8-20260601[1m]')).toEqual([
    'Team/Claude-Opus-4-8-20260601[1m]',
    'team/claude-opus-4-8-20260601',
    'claude-opus-4-8-20260601',
    'claude-opus-4-8',
  ])
})

it('rounds half a nano-dollar up, and knows no cost of tokens without any price', () => {
  expect(nanoUsdOf({ units: 25_000_000n, unpricedTokens: 0, assumedTokens: 0 }, 1)).toBe(3)
  expect(nanoUsdOf({ units: 0n, unpricedTokens: 7, assumedTokens: 0 }, 7)).toBeNull()
  expect(nanoUsdOf({ units: 0n, unpricedTokens: 0, assumedTokens: 0 }, 0)).toBe(0)
})
