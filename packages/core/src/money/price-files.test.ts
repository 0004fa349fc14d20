import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../facts/time.ts'
import { bandOf, serviceTierOf } from '../usage/rate.ts'
import { nanoUsdOf } from '../usage/usage-cost.ts'
import { type DatedPrice, dayOf, type OwnPrices, priceBookOf, tokenCostOf } from './price-book.ts'
import { pricesAfterReading } from './price-changes.ts'
import { picoUsdOf, readPriceFile } from './price-files.ts'

const sample = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`samples/${name}.json`, import.meta.url), 'utf8'))
const fileOf = (json: unknown) => readPriceFile(json) ?? expect.fail('of no known shape')

interface GoldenRecord {
  readonly name: string
  readonly book: 'lite' | 'dev' | 'dated' | 'relay' | 'own'
  readonly record: {
    readonly day: string
    readonly provider: string
    readonly account: string
    readonly model: string
    readonly responseTier: string
    readonly requestTier: string
    readonly classes: Readonly<Record<'in' | 'read' | 'write' | 'out', number>> | null
  }
  readonly expected: string
}
const golden = sample('golden') as readonly GoldenRecord[]

const instant = (day: string) => epochMs(Date.parse(day))
const noOwn: OwnPrices = { rates: [], multipliers: [] }
const rate = (model: string, day: string, [input, read, out]: readonly number[]): DatedPrice => ({
  model,
  fromDay: dayOf(instant(day)),
  rates: [
    {
      tier: null,
      band: 0,
      rates: { in: input ?? null, read: read ?? null, write: null, out: out ?? null },
    },
  ],
  source: null,
})
const storedFrom = (file: ReturnType<typeof fileOf>) =>
  pricesAfterReading({
    inForce: [],
    models: golden.map(({ record }) => record.model),
    file,
    source: { kind: file.kind, sha256: 'f', readAt: instant('2026-05-10') },
    today: dayOf(instant('2026-05-10')),
  })

const litellm = fileOf(sample('litellm'))
const modelsDev = fileOf(sample('models-dev'))
const source = { kind: litellm.kind, sha256: 'f', readAt: instant('2026-05-10') }
const lite = { stored: storedFrom(litellm), own: noOwn, refused: litellm.refused }
const books = {
  lite,
  dev: { stored: storedFrom(modelsDev), own: noOwn, refused: modelsDev.refused },
  dated: {
    stored: [
      { ...rate('x', '1970-01-01', [1_000_000, 0, 4_000_000]), source },
      { ...rate('x', '2026-08-01', [2_000_000, 0, 8_000_000]), source },
    ],
    own: noOwn,
    refused: new Map(),
  },
  relay: {
    ...lite,
    own: {
      rates: [],
      multipliers: [
        { of: { provider: 'codex' as const }, times: 3_000, fromDay: 0 },
        { of: { account: 'acc-1' }, times: 12_500, fromDay: 0 },
      ],
    },
  },
  own: {
    ...lite,
    own: {
      rates: [
        rate('my-model', '1970-01-01', [1_000_000, 0, 2_000_000]),
        rate('gpt-5.5', '2026-06-01', [4_000_000, 400_000, 20_000_000]),
      ],
      multipliers: [],
    },
  },
}

describe('the golden records', () => {
  it.each(golden)('$name', ({ book, record, expected }) => {
    const { day, provider, account, model, responseTier, requestTier, classes } = record
    const counts = {
      tokensIn: classes?.in ?? 0,
      tokensCached: classes?.read ?? 0,
      tokensWritten: classes?.write ?? 0,
      tokensOut: classes?.out ?? 0,
    }
    const price = priceBookOf(books[book]).priceOf({
      model,
      tier: serviceTierOf(requestTier, responseTier),
      band: bandOf(classes === null ? null : counts),
      day: dayOf(instant(day)),
      provider: provider as 'codex',
      account,
    })
    if (typeof price === 'string') {
      expect(`unpriced:${price}`).toBe(expected)
      return
    }
    const tokens = Object.values(counts).reduce((sum, count) => sum + count)
    const cost = tokenCostOf(price, { ...counts, tokens })
    const assumed = cost.assumedTokens > 0 ? ' assumed' : ''
    expect(`${nanoUsdOf(cost, tokens)}${assumed}`).toBe(expected)
  })
})

const openAi = (rates: object) => ({
  m: {
    litellm_provider: 'openai',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 2e-6,
    ...rates,
  },
})
const maker = (model: object) => ({ openai: { models: { m: model } } })
const listed = { input: 1, output: 2 }

describe('readPriceFile', () => {
  it.each([
    [
      'a band of another threshold',
      'band',
      openAi({ input_cost_per_token_above_512k_tokens: 1e-6 }),
    ],
    ['two zeros', 'zero', openAi({ input_cost_per_token: 0, output_cost_per_token: 0 })],
    ['more than $1,000 a million', 'rate', openAi({ output_cost_per_token: 1.000001e-3 })],
    ['a rate below zero', 'rate', openAi({ output_cost_per_token: -1e-6 })],
    ['a rate that is a text', 'rate', openAi({ output_cost_per_token: '1e-6' })],
    ['a part of a pico-dollar', 'rate', openAi({ output_cost_per_token: 1.5e-12 })],
    [
      'another threshold of tokens',
      'band',
      maker({ cost: { ...listed, tiers: [{ ...listed, tier: { size: 32_000 } }] } }),
    ],
    [
      'a threshold of something else',
      'band',
      maker({
        cost: { ...listed, tiers: [{ ...listed, tier: { size: 200_000, type: 'output' } }] },
      }),
    ],
    ['two zeros at models.dev', 'zero', maker({ cost: { input: 0, output: 0 } })],
  ])('refuses %s', (_, reason, json) => {
    expect(fileOf(json)).toMatchObject({ models: new Map(), refused: new Map([['m', reason]]) })
  })

  it.each([
    ['no price of output', openAi({ output_cost_per_token: null })],
    ['a mode of images', openAi({ mode: 'image_generation' })],
    ['no cost', maker({})],
    ['a reseller', { other: { models: { m: { cost: listed } } } }],
    ['the name of a region', { 'us/m': openAi({}).m }],
    ['a price of the LiteLLM documentation', { sample_spec: openAi({}).m }],
  ])('takes nothing from an entry with %s', (_, json) => {
    expect(fileOf(json)).toMatchObject({ models: new Map(), refused: new Map() })
  })

  it.each([[null], ['text'], [[openAi({})]], [{ m: { price: 1 } }], [{}]])(
    'knows no shape of %j',
    (json) => expect(readPriceFile(json)).toBeNull(),
  )

  it('takes the older threshold of 200,000 only without tiers, and a tier only with its own input and output', () => {
    const above = { input: 3, output: 4 }
    const rates = (cost: object, modes = {}) =>
      fileOf(maker({ cost: { ...listed, ...cost }, experimental: { modes } }))
        .models.get('m')
        ?.map(({ tier, band, rates: { in: input } }) => [tier, band, input])
    expect(rates({ context_over_200k: above })).toEqual([
      [null, 0, 1_000_000],
      [null, 2, 3_000_000],
    ])
    expect(
      rates({ context_over_200k: above, tiers: [{ ...above, tier: { size: 272_000 } }] }),
    ).toEqual([
      [null, 0, 1_000_000],
      [null, 3, 3_000_000],
    ])
    const provider = { body: { service_tier: 'priority' } }
    expect(rates({}, { fast: { cost: { input: 5 }, provider } })).toEqual([[null, 0, 1_000_000]])
    expect(rates({}, { fast: { cost: above, provider } })).toContainEqual([
      'priority',
      0,
      3_000_000,
    ])
  })

  it('takes a name without its maker before one with it', () => {
    const cheaper = openAi({ input_cost_per_token: 1e-7 }).m
    const { models } = fileOf({ 'openai/M': cheaper, m: openAi({}).m, 'openai/Other': cheaper })
    expect([...models].map(([model, [standard]]) => [model, standard?.rates.in])).toEqual([
      ['m', 1_000_000],
      ['other', 100_000],
    ])
  })
})

it.each([
  [4.5e-5, 12, 45_000_000],
  [1.25e-6, 12, 1_250_000],
  [3e-7, 12, 300_000],
  [0.175, 6, 175_000],
  [1_000, 6, 1_000_000_000],
  [1e-12, 12, 1],
  [1e-13, 12, undefined],
  [0, 12, 0],
  [Number.NaN, 12, undefined],
  [Number.POSITIVE_INFINITY, 6, undefined],
])('%d moved by %d places is %d pico-dollars', (stated, places, pico) => {
  expect(picoUsdOf(stated, places)).toBe(pico)
})
