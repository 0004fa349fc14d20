import { DAY_MS, epochMs, plusMs } from '@svc/core'
import {
  type DatedPrice,
  dayOf,
  type ModelRates,
  type OwnPrices,
  priceBookOf,
  tokenCostOf,
} from '@svc/core/money'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import {
  bandOf,
  placeAt,
  providerOfUsage,
  type UsageDetail,
  type UsageQuestion,
} from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, openUsage } from '../open-history.ts'
import { emptyStores } from '../testing/empty-stores.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'

const stores = emptyStores()
afterAll(stores.remove)

const TODAY = dayOf(NOW)
const noOwn: OwnPrices = { rates: [], multipliers: [] }
const at = (rate: number): ModelRates => [
  { tier: null, band: 0, rates: { in: rate, read: rate, write: null, out: 2 * rate } },
  { tier: null, band: 3, rates: { in: 2 * rate, read: null, write: null, out: 3 * rate } },
  { tier: 'priority', band: 0, rates: { in: 5 * rate, read: rate, write: null, out: 9 * rate } },
]
const fileOf = (daysAgo: number, rates: Readonly<Record<string, ModelRates>>) =>
  [
    {
      models: new Map(Object.entries(rates)),
      source: {
        kind: 'litellm',
        sha256: `${daysAgo}`,
        readAt: epochMs((TODAY - daysAgo) * DAY_MS + 1),
      },
    },
    TODAY - daysAgo,
  ] as const

const tokens = fc.constantFrom(0, 1, 90_000, 150_000)
const detail = fc
  .record({
    daysAgo: fc.nat(20),
    key: fc.bigInt({ min: 0n, max: 999n }),
    accountKey: fc.constantFrom('ann', 'bob'),
    provider: fc.constantFrom('codex', 'claude', null),
    apiName: fc.constantFrom('key-a', 'key-b'),
    model: fc.constantFrom('m', 'N-2026-01-01', 'gone'),
    classes: fc.option(
      fc.record({
        tokensIn: tokens,
        tokensCached: tokens,
        tokensWritten: tokens,
        tokensOut: tokens,
      }),
    ),
    tier: fc.constantFrom('priority', 'flex', 'unknown', null),
  })
  .map(({ daysAgo, ...rest }): UsageDetail => {
    const all = rest.classes === null ? [9] : Object.values(rest.classes)
    const sum = all.reduce((total, one) => total + one, 0)
    return { ...aDetail(1, rest), at: plusMs(NOW, -daysAgo * DAY_MS - 1), tokens: sum }
  })
const group = fc.constantFrom('account', 'client', 'model', 'provider')
const multiplier = fc.record({
  of: fc.constantFrom({ account: 'ann' }, { provider: 'codex' }, { provider: 'claude' }),
  times: fc.nat(20_000),
  fromDay: fc.integer({ min: TODAY - 20, max: TODAY }),
})

describe.each(stores.engines)('in $engine', ({ whyNot, create }) => {
  beforeEach((context) => {
    if (whyNot !== null) context.skip(whyNot)
  })

  it('takes what a file changes for the models it has seen, from that day on', async () => {
    const empty = await create()
    const history = await openHistory(empty.location)
    const seen = (model: string) =>
      history.usageOf(DEFAULT_UPSTREAM).record(aBatch([aDetail(model.charCodeAt(0), { model })]))
    await seen('m')

    expect(await history.takePrices(...fileOf(9, { m: at(1), n: at(1) }))).toMatchObject([
      { model: 'm', fromDay: 0, rates: at(1) },
    ])
    expect(await history.takePrices(...fileOf(8, { m: at(1) }))).toEqual([])
    expect(await history.takePrices(...fileOf(7, { m: at(2) }))).toMatchObject([
      { model: 'm', fromDay: TODAY - 7, rates: at(2) },
    ])
    expect(await history.takePrices(...fileOf(7, { m: at(3) }))).toMatchObject([
      { fromDay: TODAY - 7, rates: at(3) },
    ])
    await seen('n')
    expect(await history.takePrices(...fileOf(6, { n: at(4) }))).toMatchObject([
      { model: 'n', fromDay: 0 },
    ])
    await history.close()

    const usage = await openUsage({ location: empty.location, retentionDays: 90 })
    const { models, source } = await usage.prices(NOW)
    await usage.close()
    expect(source).toMatchObject({ sha256: '6' })
    const byName = models.toSorted((one, other) => (one.model < other.model ? -1 : 1))
    expect(byName).toMatchObject([
      { model: 'm', price: { fromDay: TODAY - 7, rates: at(3) } },
      { model: 'n', price: { fromDay: 0, rates: at(4), source: { sha256: '6' } } },
    ])
  })

  it('costs what each of its requests costs, whatever they are split by', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(detail, { maxLength: 30, selector: ({ key }) => key }),
        fc.array(multiplier, { maxLength: 3 }),
        group,
        fc.option(group),
        fc.constantFrom(0, TODAY - 12, TODAY + 1),
        async (details, multipliers, first, second, tiersFromDay) => {
          const empty = await create()
          const history = await openHistory(empty.location)
          await history.usageOf(DEFAULT_UPSTREAM).record(aBatch(details))
          const stored: DatedPrice[] = []
          for (const file of [fileOf(15, { m: at(3), n: at(7) }), fileOf(5, { m: at(11) })])
            stored.push(...(await history.takePrices(...file)))
          await history.close()
          const { meta } = empty.tables
          const tiersSince = String(tiersFromDay * DAY_MS)
          await empty.change(
            sql`INSERT INTO ${meta} (name, value) VALUES ('tiers_since_ms', ${tiersSince})`,
          )
          const settings = { own: { ...noOwn, multipliers }, refused: new Map() }
          const book = priceBookOf({ stored, tiersFromDay, ...settings })
          const usage = await openUsage({ location: empty.location, retentionDays: 90 })
          usage.usePrices(settings)
          const question: UsageQuestion = {
            ...{ range: '30d', bucket: '1d', group: first, metric: 'cost', top: 20 },
            ...(second === null || second === first ? {} : { second }),
          }
          const { totals, totalBuckets, breakdown, lines } = await usage.series(question, NOW)
          const all = { from: epochMs(0), before: placeAt(NOW) }
          const { requests } = await usage.requests({ limit: 100 }, all)
          await usage.close()

          const costs = details.map(({ accountKey, model, classes = null, tokens, ...one }) => {
            const provider = providerOfUsage({ accountKey, provider: one.provider ?? null })
            const price = book.priceOf({
              ...{ model, provider, account: accountKey, tier: one.tier ?? null },
              ...{ band: bandOf(classes), day: dayOf(one.at) },
            })
            const none = { tokensIn: 0, tokensCached: 0, tokensWritten: 0, tokensOut: 0 }
            return { tokens, ...tokenCostOf(price, { ...(classes ?? none), tokens }) }
          })
          const sum = (of: readonly { readonly cost?: { readonly units: bigint } }[]) =>
            of.reduce((total, { cost }) => total + (cost?.units ?? 0n), 0n)
          const units = costs.reduce((total, one) => total + one.units, 0n)
          const unpricedTokens = costs.reduce((total, one) => total + one.unpricedTokens, 0)
          const assumedTokens = costs.reduce((total, one) => total + one.assumedTokens, 0)
          if (details.length > 0)
            expect(totals.cost).toEqual({ units, unpricedTokens, assumedTokens })
          expect([sum(totalBuckets), sum(breakdown.rows)]).toEqual([units, units])
          const single = requests.map(({ cost }) => (cost === null ? {} : { cost }))
          expect(sum(single)).toBe(units)
          const unpriced = requests.filter((one) => one.unpriced !== null)
          expect(unpriced.reduce((total, one) => total + one.tokens, 0)).toBe(unpricedTokens)
          expect(sum(lines.flatMap(({ buckets }) => buckets))).toBe(units)
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 15 : 5 },
    )
  })

  it('prices days without sums by rate by model, and says of what else it knows none', async () => {
    const empty = await create()
    const history = await openHistory(empty.location)
    const classes = { tokensIn: 100, tokensCached: 0, tokensWritten: 0, tokensOut: 10 }
    const old = plusMs(NOW, -50 * DAY_MS)
    const of = (number: number, changes: Partial<UsageDetail>) =>
      aDetail(number, { accountKey: 'ann', apiName: 'key-a', model: 'm', tokens: 110, ...changes })
    await history
      .usageOf(DEFAULT_UPSTREAM)
      .record(
        aBatch([
          of(1, { at: old, classes, tier: 'priority' }),
          of(2, { at: old }),
          of(3, { at: old, classes, model: 'gone' }),
          of(4, { classes }),
        ]),
      )
    await history.takePrices(...fileOf(60, { m: at(1) }))
    await history.close()
    const { meta, usage: rows, sumsOfTier } = empty.tables
    const since = epochMs((TODAY - 40) * DAY_MS)
    const { sums } = sumsOfTier(86_400)
    await empty.change(sql`DELETE FROM ${rows} WHERE ${rows.atMs} < ${since}`)
    await empty.change(
      sql`DELETE FROM ${sums} WHERE ${sums.grouping} > 5 AND ${sums.bucketS} < ${since / 1000}`,
    )
    for (const name of ['cut_ms', 'pairs_since_ms'])
      await empty.change(sql`INSERT INTO ${meta} (name, value) VALUES (${name}, ${String(since)})`)
    const usage = await openUsage({ location: empty.location, retentionDays: 40 })
    const ask = (question: Partial<UsageQuestion>) =>
      usage.series(
        { range: 'all', bucket: '1d', group: 'total', metric: 'cost', top: 9, ...question },
        NOW,
      )
    const standard = 100n + 10n * 2n
    const known = { units: 2n * standard * 10_000n, unpricedTokens: 220, assumedTokens: 110 }
    const byModel = await ask({ group: 'model' })
    const byAccount = await ask({ group: 'account' })
    const total = await ask({})
    const ofModel = await ask({ group: 'model', filter: { model: ['m'] } })
    const pairs = await ask({ group: 'account', second: 'model' })
    await usage.close()

    expect(byModel.breakdown.rows).toMatchObject([
      { id: 'm', requests: 3, cost: { ...known, unpricedTokens: 110 } },
      { id: 'gone', cost: { units: 0n, unpricedTokens: 110 } },
    ])
    expect([byModel.totals, total.totals]).toMatchObject([{ cost: known }, { cost: known }])
    expect(total.totalBuckets.reduce((sum, { cost }) => sum + (cost?.units ?? 0n), 0n)).toBe(
      known.units,
    )
    expect(ofModel.totals).toMatchObject({ cost: { ...known, unpricedTokens: 110 } })
    expect(byAccount.breakdown.rows).toMatchObject([
      { id: 'ann', tokens: 440, cost: { units: standard * 10_000n, unpricedTokens: 330 } },
    ])
    expect(pairs.refused?.reason).toBe('rows_gone')
  })
})
