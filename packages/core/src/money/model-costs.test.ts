import { expect, it } from 'vitest'
import { DAY_MS, epochMs } from '../facts/time.ts'
import { countedIncrements, createUsageIncrements } from '../usage/usage-increments.ts'
import { modelCostsOf } from './model-costs.ts'
import type { BandRates, OwnPrices } from './price-book.ts'

const DAY = 20_000
const rates = (tier: BandRates['tier'], band: number, picoUsd: number): BandRates => ({
  tier,
  band,
  rates: { in: picoUsd, read: picoUsd, write: picoUsd, out: picoUsd },
})
const list = {
  models: new Map([
    ['gpt-5', [rates(null, 0, 1_000_000), rates(null, 1, 2_000_000), rates('flex', 0, 500_000)]],
  ]),
}
const noOwn: OwnPrices = { rates: [], multipliers: [] }
const own: OwnPrices = {
  rates: [{ model: 'relay', fromDay: DAY, rates: [rates(null, 0, 3_000_000)], source: null }],
  multipliers: [{ of: { account: 'bob' }, times: 5_000, fromDay: 0 }],
}

function increments() {
  const added = createUsageIncrements('account')
  let key = 0n
  const add = (
    model: string,
    tokensIn: number | null,
    { account = 'alice', day = DAY, tier = null as 'flex' | 'unknown' | null } = {},
  ) =>
    added.add([
      {
        at: epochMs(day * DAY_MS + 1),
        key: key++,
        accountKey: account,
        apiName: 'sk-a',
        model,
        tokens: tokensIn ?? 7,
        failed: false,
        provider: 'codex',
        tier,
        classes:
          tokensIn === null ? null : { tokensIn, tokensCached: 0, tokensWritten: 0, tokensOut: 0 },
      },
    ])
  add('team/GPT-5', 100_000)
  add('team/GPT-5', 100_000)
  add('team/GPT-5', 200_000)
  add('team/GPT-5', 100_000, { tier: 'flex' })
  add('team/GPT-5', 100_000, { tier: 'unknown' })
  add('team/GPT-5', 100_000, { account: 'bob' })
  add('team/GPT-5', null)
  add('relay', 10_000)
  add('relay', 10_000, { day: DAY - 1 })
  add('gpt-7', 100_000)
  return added.take()
}
const costs = (prices: Parameters<typeof modelCostsOf>[1]) =>
  modelCostsOf(increments().priceable, prices)

it('counted usage costs what its tier, band, account and day say; what has no price is left out', () => {
  const model = 'team/GPT-5'
  expect(costs({ list, own })).toEqual([
    { provider: 'codex', model, client: 'sk-a', usd: 0.7 },
    { provider: 'codex', model: 'relay', client: 'sk-a', usd: 0.03 },
  ])
  expect(costs({ list, own: noOwn })).toEqual([
    { provider: 'codex', model, client: 'sk-a', usd: 0.75 },
  ])
  expect(costs({ list: null, own: noOwn })).toEqual([])
})

it('counted usage has no account, and no API name', () => {
  const counted = countedIncrements(increments(), new Map(), (usage) =>
    modelCostsOf(usage, { list, own }),
  )

  expect(counted.costs).toMatchObject([{ client: '_unlabelled_' }, { client: '_unlabelled_' }])
  expect(JSON.stringify(counted)).not.toMatch(/alice|bob|sk-a/)
})
