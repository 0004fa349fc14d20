import type { Prices } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { draw, holdAnswers, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'

vi.mock('./prices.css', () => ({}))
const { PricesView, shownPrices, pricesFailed } = await import('./prices.tsx')

let asked: string[] = []
beforeEach(() => {
  asked = holdAnswers()
  showPool([])
})
afterEach(() => {
  shownPrices.value = null
  pricesFailed.value = false
})

type Model = Prices['models'][number]
const rate = { input: 5, cacheRead: 0.5, cacheWrite: null, output: 30 }
const priced: Model = {
  model: 'gpt-5.5',
  rates: [
    { tier: null, above: 0, ...rate },
    { tier: null, above: 272_000, ...rate, input: 10 },
    { tier: 'priority', above: 0, ...rate },
  ],
  ...{ source: 'file', from: '2026-11-01', tokens: 2_000, unpriced: 'tier' },
  cost: { nanoUsd: 12_500_000_000, text: '$12.50', unpricedTokens: 500, assumedTokens: 0 },
  unpricedText: 'There are no rates of the service tier.',
}
const unpriced: Model = {
  ...{ model: 'k2', rates: [], source: null, from: null, tokens: 900, unpriced: 'model' },
  cost: { nanoUsd: null, text: '–', unpricedTokens: 900, assumedTokens: 0 },
  unpricedText: 'Neither the price file nor an own rate has this model.',
}
const answered = (changes: Partial<Prices>): Prices => ({
  available: true,
  reason: null,
  source: { kind: 'models.dev', readAt: '2026-11-20T09:00:00.000Z', sha256: 'f00' },
  asOf: '2026-11-20T11:58:00.000Z',
  paidBack: null,
  models: [unpriced, priced],
  ...changes,
})
const show = (next: Prices | null) => {
  shownPrices.value = next
  return draw(h(PricesView, { title: 'Prices' }))
}

describe('the view of prices', () => {
  it('has each model with its rates a million tokens, what it cost, and why tokens have no price', () => {
    const place = show(answered({}))

    expect(asked).toEqual(['/api/v1/prices'])
    expect(wordsOfEach(place, 'tbody tr')).toEqual([
      'k2 Neither the price file nor an own rate has this model. – – – – – 900 –',
      'gpt-5.5 There are no rates of the service tier. $5.00 $0.50 – $30.00 price file, since 2026-11-01 2.0k $12.50 25% unpriced',
      'above 272,000 input $10.00 $0.50 – $30.00',
      'priority $5.00 $0.50 – $30.00',
    ])
    expect(wordsOf(place.querySelector('caption'))).toMatch(/usage until .*\d\d:58$/)
    expect(wordsOf(place)).toContain('at the list price of the API, by the file of models.dev')
  })

  it.each([
    [
      2.04,
      ': $60.00 of usage at the list price of the API, $19.71 paid, at least 2.0 times what was paid',
    ],
    [null, ': $60.00 of usage at the list price of the API, $19.71 paid '],
  ])('adds up what all subscriptions were worth: %s', (paidBack, words) => {
    const worth = { listUsd30d: 60, subscriptionUsd30d: 19.71, paidBack, isAtLeast: true }

    expect(wordsOf(show(answered({ paidBack: worth })))).toContain(words)
    expect(wordsOf(show(answered({ paidBack: { ...worth, listUsd30d: null } })))).not.toContain(
      'subscriptions',
    )
  })

  it('says how to set prices where there are none', () => {
    const place = show(answered({ source: null, models: [unpriced] }))

    expect(wordsOf(place.querySelector('.banner'))).toContain('price_file')
  })

  it.each([
    ['waits', null, false, 'Loading the prices.'],
    ['says that it failed', null, true, 'could not be loaded'],
    [
      'names the missing history',
      answered({ available: false, reason: 'no_store', models: [] }),
      false,
      'No usage history',
    ],
    ['is empty without usage', answered({ models: [] }), false, 'No model was used'],
  ])('%s', (_, next, failed, words) => {
    pricesFailed.value = failed

    expect(wordsOf(show(next))).toContain(words)
  })
})
