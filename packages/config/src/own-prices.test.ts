import { describe, expect, it } from 'vitest'
import { noOwnPrices, ownPricesIn } from './own-prices.ts'

const RATE = '[[rate]]\nmodel = "m"\ninput = 1.25\noutput = 10\n'
const DAY = 20_635

describe('ownPricesIn', () => {
  it('reads rates, multipliers and subscriptions', () => {
    const text = `# mine
${RATE}cache_read = 0.125
from = "2026-07-01"

[[rate]]
model = "m"
tier = "flex"
above = 200000
from = 2026-07-01
input = 0.5
output = 5

[[multiplier]]
provider = "codex"
times = "0.3"

[[multiplier]]
account = "codex:1"
times = "12.3456"
from = "2026-07-01"

[[subscription]]
provider = "codex"
plan = "plus"
usd = 20
per = "month"

[[subscription]]
account = "codex:1"
usd = 99.5
per = "year"
from = "2026-07-01"
`
    expect(ownPricesIn(text)).toEqual({
      own: {
        rates: [
          {
            model: 'm',
            fromDay: DAY,
            source: null,
            rates: [
              {
                tier: null,
                band: 0,
                rates: { in: 1_250_000, read: 125_000, write: null, out: 10_000_000 },
              },
              {
                tier: 'flex',
                band: 2,
                rates: { in: 500_000, read: null, write: null, out: 5_000_000 },
              },
            ],
          },
        ],
        multipliers: [
          { of: { provider: 'codex' }, times: 3_000, fromDay: 0 },
          { of: { account: 'codex:1' }, times: 123_456, fromDay: DAY },
        ],
      },
      subscriptions: [
        { of: { provider: 'codex', plan: 'plus' }, usd: 20, per: 'month', fromDay: 0 },
        { of: { account: 'codex:1' }, usd: 99.5, per: 'year', fromDay: DAY },
      ],
    })
  })

  it.each([[''], ['# none yet\n']])('reads nothing from %j', (text) => {
    expect(ownPricesIn(text)).toEqual(noOwnPrices)
  })

  it.each([
    [`${RATE}cost = 1`, 'line 5, cost: unknown key'],
    [
      `${RATE}\n[[rate]]\nmodel = "n"\ninput = "1"\noutput = 2`,
      'line 8, input: expected dollars a million',
    ],
    [`${RATE}cache_read = 1001`, 'line 5, cache_read: expected dollars a million'],
    [`${RATE}cache_read = 0.1234567`, 'line 5, cache_read: expected dollars a million'],
    [`${RATE}above = 100000`, 'line 5, above: expected 0, 128000, 200000, 272000'],
    [`${RATE}tier = "fast"`, 'line 5, tier: expected standard, priority or flex'],
    [`${RATE}from = "2026-02-30"`, 'line 5, from: expected a day as in "2026-07-01"'],
    ['\n[[rate]]\nmodel = "m"\ninput = 1', 'line 2, output: is missing, expected dollars'],
    [`${RATE}${RATE}`, 'line 6, model: another table before it'],
    [`${RATE}above = 200000`, 'line 2, model: expected a table of this model and day with tier'],
    [
      '[[multiplier]]\nprovider = "codex"\ntimes = 0.3',
      'line 3, times: expected a text as in "0.3"',
    ],
    ['[[multiplier]]\nprovider = "codex"\ntimes = "100.0001"', 'line 3, times: expected a text'],
    ['[[multiplier]]\ntimes = "1"', 'line 1, multiplier: expected one of provider and account'],
    [
      '[[multiplier]]\naccount = "me@example.com"\ntimes = "1"',
      'line 2, account: expected an accountKey',
    ],
    [
      '[[subscription]]\nplan = "plus"\nusd = 1\nper = "month"',
      'line 1, subscription: expected account, or',
    ],
    [
      '[[subscription]]\naccount = "a"\nusd = -1\nper = "month"',
      'line 3, usd: expected a number from 0',
    ],
    ['[[rates]]\nmodel = "m"', 'unknown key "rates": expected [[rate]]'],
    ['[rate]\nmodel = "m"', '[[rate]] 1, rate: expected tables as in [[rate]]'],
    [
      '[[rate]]\nmodel = m',
      'price_overrides is not valid TOML at line 2, column 9 (a text needs quotes)',
    ],
    [
      '[[multiplier]]\nprovider = "x"\ntimes = "1"\n'.repeat(1_001),
      'line 1, multiplier: at most 1000 tables',
    ],
  ])('refuses %j', (text, problem) => {
    expect(ownPricesIn(text)).toMatchObject({ problem: expect.stringContaining(problem) })
  })
})
