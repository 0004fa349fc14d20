import { epochMs } from '@svc/core'
import { dayOf, type PricedModel, type PricesSeen } from '@svc/core/money'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { english } from '../messages/en/catalogue.ts'
import { chinese } from '../messages/zh-cn/catalogue.ts'
import { pricesSchema, pricesView } from './prices.ts'

const readAt = epochMs(Date.parse('2026-11-20T12:00:30Z'))
const source = { kind: 'models.dev', sha256: 'f00', readAt } as const
const rates = { in: 5_000_000, read: 500_000, write: null, out: 30_000_000 }
const cost = (unpricedTokens: number) => ({
  units: 42_000_000_000_000n,
  unpricedTokens,
  assumedTokens: 0,
})
const paidBack = { listUsd30d: 60, subscriptionUsd30d: 20, paidBack: 3, isAtLeast: true }
const seen: PricesSeen = {
  asOf: readAt,
  source,
  models: [
    { model: 'small', tokens: 5, cost: cost(0), reason: null, price: null },
    {
      model: 'gpt-5.5',
      tokens: 70,
      cost: cost(0),
      reason: null,
      price: {
        model: 'gpt-5.5',
        fromDay: dayOf(readAt),
        source,
        rates: [
          { tier: 'priority', band: 0, rates },
          { tier: null, band: 3, rates },
          { tier: null, band: 0, rates },
        ],
      },
    },
    { model: '=x', tokens: 9, cost: cost(9), reason: 'model', price: null } satisfies PricedModel,
  ],
}

it('models are those with the most unpriced tokens first, then those with the most tokens', () => {
  const view = v.parse(pricesSchema, pricesView(seen, paidBack, english))

  expect(view).toMatchObject({ paidBack, asOf: '2026-11-20T12:00:30.000Z' })
  expect(view.models).toMatchObject([
    {
      model: '%3Dx',
      rates: [],
      source: null,
      cost: { nanoUsd: null, text: '–', unpricedTokens: 9 },
      unpriced: 'model',
      unpricedText: 'Neither the price file nor an own rate has this model.',
    },
    { model: 'gpt-5.5', source: 'file', from: '2026-11-20', cost: { text: '$0.0042' } },
    { model: 'small', from: null, unpricedText: null },
  ])
  expect(view.models[1]?.rates).toEqual([
    { tier: null, above: 0, input: 5, cacheRead: 0.5, cacheWrite: null, output: 30 },
    { tier: null, above: 272_000, input: 5, cacheRead: 0.5, cacheWrite: null, output: 30 },
    { tier: 'priority', above: 0, input: 5, cacheRead: 0.5, cacheWrite: null, output: 30 },
  ])
  expect(view.source).toEqual({ ...source, readAt: '2026-11-20T12:00:30.000Z' })
  expect(pricesView(seen, null, chinese).models[0]?.unpricedText).toBe(
    '价格文件和自定价格中都没有此模型。',
  )
})

it('without a store the list is empty and says why', () => {
  expect(v.parse(pricesSchema, pricesView('no_store', null, english))).toEqual({
    available: false,
    reason: 'no_store',
    source: null,
    paidBack: null,
    models: [],
  })
})
