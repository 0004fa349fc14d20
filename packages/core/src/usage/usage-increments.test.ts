import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../facts/time.ts'
import type { UsageDetail } from './usage-detail.ts'
import { countedIncrements, createUsageIncrements, createUsageLabels } from './usage-increments.ts'

const aDetail = (changes: Partial<UsageDetail> = {}): UsageDetail => ({
  at: epochMs(1),
  key: 1n,
  accountKey: 'alice',
  apiName: 'sk-a',
  model: 'gpt-5',
  tokens: 10,
  failed: false,
  provider: 'codex',
  ...changes,
})

describe('increments of stored requests', () => {
  it('are summed by model, client, cause and provider, and start again once they are taken', () => {
    const increments = createUsageIncrements('account')
    const classes = { tokensIn: 4, tokensCached: 1, tokensWritten: 0, tokensOut: 2 }
    const cause = { status: 429, code: 'usage_limit_reached' }
    increments.add([
      aDetail({ classes, firstTokenMs: 1_500 }),
      aDetail({ apiName: 'sk-b', failed: true, failure: 'failedLimit', cause }),
      aDetail({ model: 'opus', provider: 'claude', failed: true }),
    ])
    const taken = increments.take()

    expect(taken.models).toMatchObject([
      {
        provider: 'codex',
        model: 'gpt-5',
        sum: { requests: 2, tokens: 20, failed: 1, failedLimit: 1, ...classes },
      },
      { provider: 'claude', model: 'opus', sum: { requests: 1, failed: 1, failedOther: 0 } },
    ])
    expect(taken.clients).toEqual([
      { client: 'sk-a', requests: 2, tokens: 20 },
      { client: 'sk-b', requests: 1, tokens: 10 },
    ])
    expect(taken.failures).toEqual([
      { provider: 'codex', ...cause, requests: 1 },
      { provider: 'claude', status: 0, code: 'none', requests: 1 },
    ])
    // Requests of unknown token classes have no price.
    expect(taken.priceable).toMatchObject([
      {
        provider: 'codex',
        model: 'gpt-5',
        account: 'alice',
        band: 0,
        dayStart: 0,
        sum: { requests: 1, tokens: 10, ...classes },
      },
    ])
    expect(taken.firstTokens).toEqual([{ provider: 'codex', seconds: [1.5] }])
    expect(Object.values(increments.take()).flat()).toEqual([])
  })

  it.each([
    ['account', ['alice', 'bob']],
    ['model', ['']],
    [null, []],
  ] as const)('are told apart for prices by %s', (pricedBy, accounts) => {
    const increments = createUsageIncrements(pricedBy)
    const classes = { tokensIn: 4, tokensCached: 1, tokensWritten: 0, tokensOut: 2 }
    increments.add(['alice', 'bob'].map((accountKey) => aDetail({ accountKey, classes })))
    const { models, priceable } = increments.take()

    expect(priceable.map(({ account }) => account)).toEqual(accounts)
    expect(models).toMatchObject([{ sum: { requests: 2 } }])
  })

  it('have no API name once they are labelled: keys of one label are one, and those of none too', () => {
    const increments = createUsageIncrements('account')
    increments.add(['sk-a', 'sk-b', 'sk-c', 'sk-d'].map((apiName) => aDetail({ apiName })))
    const labels = new Map([
      ['sk-a', 'Alice'],
      ['sk-b', 'Alice'],
    ])

    expect(countedIncrements(increments.take(), labels, () => []).clients).toEqual([
      { client: 'Alice', requests: 2, tokens: 20 },
      { client: '_unlabelled_', requests: 2, tokens: 20 },
    ])
  })
})

describe('labels of usage', () => {
  it('are places for the ranked, then for who comes first; the rest overflows', () => {
    const labels = createUsageLabels(2)
    labels.rank({ models: [{ provider: 'codex', model: 'often' }], clients: ['Alice'] })
    const modelOf = (model: string) => labels.ofModel({ provider: 'codex', model }).model

    expect(['first', 'late', 'often', 'first'].map(modelOf)).toEqual([
      'first',
      '_overflow_',
      'often',
      'first',
    ])
    expect(
      ['Bob', 'Carol', 'Alice', '_unlabelled_'].map((one) => labels.ofClient(one).client),
    ).toEqual(['Bob', '_overflow_', 'Alice', '_unlabelled_'])
    expect(labels.droppedCount()).toBe(2)
  })

  it('of a cause without a place keep its provider', () => {
    const labels = createUsageLabels(1)
    const causeOf = (status: number) => labels.ofCause({ provider: 'codex', status, code: 'none' })

    expect([causeOf(429), causeOf(500)]).toEqual([
      { provider: 'codex', status: '429', code: 'none' },
      { provider: 'codex', status: '_overflow_', code: '_overflow_' },
    ])
  })

  it.each([
    ['a\nb\u0000c\u202ed\u2028e\ud800', 'abcde'],
    ['m'.repeat(121), 'm'.repeat(120)],
    ['😀'.repeat(130), '😀'.repeat(120)],
  ])('are printable and short: %j', (name, expected) => {
    const labels = createUsageLabels(1)

    expect(labels.ofModel({ provider: 'codex', model: name }).model).toBe(expected)
    expect(labels.ofClient(name).client).toBe(expected)
  })

  it('of a million models and providers make at most 3,000 series', () => {
    const labels = createUsageLabels(100)
    const count = process.env.TEST_SIZE === 'full' ? 1_000_000 : 100_000
    const series = new Map<string, number>()
    const noteSeries = (kind: string, values: Readonly<Record<string, string>>, each: number) =>
      series.set(kind + Object.values(values).join(' '), each)
    for (let index = 0; index < count; index += 1) {
      const provider = `provider ${index % 997}`
      const status = 100 + (index % 900)
      noteSeries('model', labels.ofModel({ provider, model: `model ${index}` }), 11)
      if (index % 100 > 0) continue
      noteSeries('first token', labels.ofProvider(provider), 13)
      noteSeries('failure', labels.ofCause({ provider, status, code: 'none' }), 1)
      noteSeries('client', labels.ofClient(`client ${index}`), 2)
    }

    expect([...series.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(3_000)
    expect(labels.droppedCount()).toBeGreaterThan(10_000)
  })

  it('keep the sum, whatever the names and the number of places', () => {
    const name = fc.string({ maxLength: 3, unit: 'binary' })
    const counted = fc.record({ provider: name, model: name, by: fc.nat(100) })
    fc.assert(
      fc.property(fc.array(counted), fc.integer({ min: 1, max: 4 }), (all, max) => {
        const labels = createUsageLabels(max)
        const sums = new Map<string, number>()
        for (const { by, ...pair } of all) {
          const series = JSON.stringify(labels.ofModel(pair))
          sums.set(series, (sums.get(series) ?? 0) + by)
        }
        const total = (numbers: Iterable<number>) => [...numbers].reduce((sum, n) => sum + n, 0)
        const named = [...sums.keys()].filter((series) => !series.includes('"model":"_overflow_"'))

        expect(total(sums.values())).toBe(total(all.map(({ by }) => by)))
        expect(named.length).toBeLessThanOrEqual(max)
      }),
    )
  })
})
