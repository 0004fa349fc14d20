import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { type DatedPrice, type PriceBook, priceBookOf, tokenCostOf } from '@svc/core/money'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import {
  bandOf,
  failureStatuses,
  idIn,
  providerOfUsage,
  recentUsageOf,
  seriesOf,
  sumOfUsage,
  type UsageDetail,
  type UsageDimension,
  type UsageQuestion,
  type UsageRecord,
  usageBucketIds,
  usageDimensions,
  usageGroups,
  usageMetrics,
  usageRangeIds,
  usageResults,
} from '@svc/core/usage'
import { openSqlite } from '@svc/sqlite'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { openHistory, openUsage } from '../open-history.ts'
import { emptyStores } from '../testing/empty-stores.ts'
import type { HistoryStore } from './history-store.ts'
import type { StoredUsage } from './usage-reader.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56, 789))
const DAY_MS = 86_400_000
const PLAN = { usageDays: 90, historyDays: 90 }
const WORLDS = process.env.TEST_SIZE === 'full' ? 20 : 4

const LABELS = new Map([
  ['key-a', 'Team'],
  ['key-b', 'Team'],
  ['key-c', 'CI'],
])

/** Ages crowd around the edges of tiers, days and buckets. */
const age = fc.oneof(
  fc.integer({ min: -7_200_000, max: 7_200_000 }),
  fc.integer({ min: 0, max: 30 * 3_600_000 }),
  fc.integer({ min: 0, max: 10 * DAY_MS }),
  fc.integer({ min: 0, max: 89 * DAY_MS }),
  fc
    .constantFrom(0, 1, 900_000, DAY_MS, 2 * DAY_MS, 9 * DAY_MS, 32 * DAY_MS)
    .chain((edge) => fc.integer({ min: edge - 2, max: edge + 2 })),
)

const tokens = fc.oneof(fc.constant(0), fc.nat(300), fc.nat(150_000))

const detail = (now: EpochMs) =>
  fc
    .record({
      at: age.map((ageMs) => plusMs(now, -ageMs)),
      key: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      accountKey: fc.constantFrom('account-1', 'account-2', 'other:gemini', '__proto__'),
      provider: fc.constantFrom('codex', 'claude', 'gemini', null),
      apiName: fc.constantFrom('key-a', 'key-b', 'key-c', 'constructor'),
      model: fc.constantFrom('gpt-5.5', 'gpt-5.4-mini', 'toString'),
      tokens: fc.nat(60_000),
      failed: fc.boolean(),
      classes: fc.option(fc.tuple(tokens, tokens, tokens, tokens)),
      tier: fc.constantFrom(null, null, 'priority', 'flex', 'unknown'),
    })
    .map(({ classes, ...row }): UsageDetail => {
      if (classes === null) return row
      const [tokensIn, tokensCached, tokensWritten, tokensOut] = classes
      const sum = tokensIn + tokensCached + tokensWritten + tokensOut
      return { ...row, tokens: sum, classes: { tokensIn, tokensCached, tokensWritten, tokensOut } }
    })

const rate = fc.option(fc.nat(900), { nil: null })
const someRates = fc.uniqueArray(
  fc.record({
    tier: fc.constantFrom(null, null, 'priority'),
    band: fc.constantFrom(0, 0, 1, 3),
    rates: fc.record({ in: fc.nat(900), read: rate, write: rate, out: fc.nat(900) }),
  }),
  { maxLength: 5, selector: ({ tier, band }) => `${tier} ${band}` },
)
const daysAgo = fc.integer({ min: 0, max: 89 })
/** Prices of files that were read so many days ago, oldest first, and prices of the operator's own. */
const somePrices = fc.record({
  files: fc.uniqueArray(fc.record({ ago: daysAgo, 'gpt-5.5': someRates, toString: someRates }), {
    maxLength: 3,
    selector: ({ ago }) => ago,
  }),
  own: fc.array(fc.record({ ago: daysAgo, rates: someRates }), { maxLength: 2 }),
  multipliers: fc.array(
    fc.record({
      of: fc.constantFrom({ account: 'account-1' }, { provider: 'codex' }, { provider: 'claude' }),
      times: fc.nat(20_000),
      ago: daysAgo,
    }),
    { maxLength: 3 },
  ),
})

const someQuestions = fc.record(
  {
    minutes: fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 200_000 })),
    agoMinutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100_000 })),
    bucket: fc.constantFrom(...usageBucketIds),
    group: fc.constantFrom(...usageGroups),
    second: fc.constantFrom(...usageDimensions),
    filtered: fc.subarray([...usageDimensions]),
    result: fc.constantFrom(...usageResults),
    status: fc.subarray([...failureStatuses], { minLength: 1 }),
    metric: fc.constantFrom(...usageMetrics),
    isOfNobody: fc.boolean(),
    facets: fc.subarray([...usageDimensions]),
  },
  {
    requiredKeys: ['minutes', 'agoMinutes', 'bucket', 'group', 'filtered', 'metric', 'isOfNobody'],
  },
)

/** A question about members of the first record, or about nobody. */
function questionOf(
  {
    minutes,
    agoMinutes,
    bucket,
    group,
    second,
    filtered,
    result,
    status,
    metric,
    isOfNobody,
    facets,
  }: typeof someQuestions extends fc.Arbitrary<infer Asked> ? Asked : never,
  [first]: readonly UsageRecord[],
  now: EpochMs,
): Omit<UsageQuestion, 'top'> {
  const to = agoMinutes === 0 ? now : (Math.floor(now / 60_000) - agoMinutes) * 60_000
  const from = epochMs(Math.floor(to / 60_000 - minutes) * 60_000)
  const idOf = (dimension: UsageDimension) =>
    first === undefined || isOfNobody ? 'nobody' : idIn(first, dimension)
  const isPair = second !== undefined && group !== 'total' && group !== 'api' && group !== second
  return {
    range: 'custom',
    between: { from, to: epochMs(to) },
    bucket,
    group,
    ...(isPair ? { second } : {}),
    metric,
    compare: true,
    ...(facets === undefined ? {} : { facets }),
    filter: {
      ...Object.fromEntries(filtered.map((dimension) => [dimension, [idOf(dimension)]])),
      ...(result === undefined ? {} : { result }),
      ...(status === undefined || result === 'ok' ? {} : { status }),
    },
  }
}

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('$engine', ({ engine, whyNot, create }) => {
  it('answers every chart and summary as adding the rows up one by one would, late rows and a moving time included', async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          // Upkeep before some of the batches, since when requests wait to be summed by rate.
          fc.tuple(fc.array(detail(NOW), { maxLength: 40 }), fc.option(fc.nat(5 * 3_600_000))),
          { minLength: 1, maxLength: 4 },
        ),
        fc.oneof(fc.nat(20 * 60_000), fc.nat(3 * DAY_MS)),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(...usageMetrics).map((metric) => ['cost', metric] as const),
        fc.array(someQuestions, { maxLength: 8 }),
        somePrices,
        async (batches, laterMs, top, metrics, asked, prices) => {
          const { location } = await create()
          const store = await openHistory(location)
          const usage = await openUsage({ location, retentionDays: 90 })
          try {
            for (const [details, upkeepMs] of batches) {
              if (upkeepMs !== null)
                await store.retain(PLAN, { asOf: plusMs(NOW, -upkeepMs), rowsMax: 1 })
              await store.usageOf(DEFAULT_UPSTREAM).record({
                receivedAt: NOW,
                details,
                quarantined: [],
                saturatedCount: 0,
              })
            }
            const now = plusMs(NOW, laterMs)
            // What a later batch finds pruned must not be missed by any chart.
            while (await store.retain(PLAN, { asOf: now, rowsMax: 2_000 })) {}
            await store.usageOf(DEFAULT_UPSTREAM).record({
              receivedAt: now,
              details: [],
              quarantined: [],
              saturatedCount: 0,
            })
            usage.useLabels(LABELS)
            const book = await takeAll(prices, { store, usage, now })

            const clients = await clientsOf(usage, plusMs(now, DAY_MS))
            const cut = (Math.floor(now / DAY_MS) - PLAN.usageDays) * DAY_MS
            const records = stored(batches.flatMap(([details]) => details)).map((row) =>
              recordOf(row.at < cut ? { ...row, at: dayOf(row.at) } : row, clients, book),
            )
            const earliest =
              records.length === 0 ? null : epochMs(Math.min(...records.map(({ at }) => at)))
            const moment = {
              now,
              earliest,
              prices: book,
            }
            for (const range of usageRangeIds) {
              for (const group of usageGroups) {
                for (const metric of metrics) {
                  const query = { range, group, metric, top, compare: metric === metrics[0] }
                  expect(await usage.series(query, now), `${range} by ${group}`).toEqual(
                    seriesOf(records, query, { ...moment, rowsSince: epochMs(cut) }),
                  )
                }
              }
            }
            for (const asked of [
              { range: '1h', bucket: '15m', group: 'client' },
              { range: '6h', bucket: '1h', group: 'account' },
              { range: '24h', bucket: '1h', group: 'client' },
              { range: '24h', bucket: '6h', group: 'provider' },
              { range: '7d', bucket: '1h', group: 'total' },
              { range: '7d', bucket: '6h', group: 'client' },
              { range: '7d', bucket: '1d', group: 'model' },
              { range: '30d', bucket: '1d', group: 'client' },
            ] as const) {
              const compare = asked.bucket !== '1h' || asked.range !== '7d'
              const query = { ...asked, metric: 'tokens', top, compare } as const
              expect(await usage.series(query, now), `${asked.range} by ${asked.bucket}`).toEqual(
                seriesOf(records, query, moment),
              )
            }
            for (const one of asked) {
              const question = { ...questionOf(one, records, now), top }
              expect(await usage.series(question, now), JSON.stringify(question)).toEqual(
                seriesOf(records, question, { ...moment, rowsSince: epochMs(cut) }),
              )
            }
            const { live, lastDay, history } = await usage.summary(now)
            const recent = recentUsageOf(
              records.map(({ cost: _, ...record }) => record),
              now,
            )
            expect({ ...live, accounts: byId(live.accounts) }).toEqual({
              ...recent.live,
              accounts: byId(recent.live.accounts),
            })
            expect({
              ...lastDay,
              accounts: byId(lastDay.accounts),
              models: byId(lastDay.models),
            }).toEqual({
              ...recent.lastDay,
              accounts: byId(recent.lastDay.accounts),
              models: byId(recent.lastDay.models),
            })
            expect(history.totals).toEqual(
              seriesOf(
                records,
                { range: 'all', group: 'total', metric: 'tokens', top: 1 },
                { now, earliest },
              ).totals,
            )
          } finally {
            await usage.close()
            await store.close()
          }
        },
      ),
      { numRuns: Number(process.env.STORE_WORLDS ?? (engine === 'sqlite' ? WORLDS : WORLDS / 4)) },
    )
  }, 120_000)
})

it('knows nothing of the hours whose buckets an earlier version did not keep', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-history-'))
  const path = join(folder, 'history.db')
  const store = await openHistory(path)
  const rows = [1, 3, 5].map((days) => ({
    at: plusMs(NOW, -days * DAY_MS),
    key: BigInt(days),
    accountKey: 'account-1',
    provider: 'codex',
    apiName: 'key-a',
    model: 'gpt-5.5',
    tokens: 7,
    failed: false,
  }))
  const batch = { receivedAt: NOW, details: rows, quarantined: [], saturatedCount: 0 }
  await store.usageOf(DEFAULT_UPSTREAM).record(batch)
  await store.close()
  const db = openSqlite(path)
  const before = NOW / 1000 - 2 * 86_400
  db.exec(`DELETE FROM rollups WHERE tier_seconds = 900 AND bucket_s < ${before}`)
  db.close()

  const usage = await openUsage({ location: path, retentionDays: 90 })
  const query = { range: '7d', bucket: '1h', group: 'total', metric: 'tokens', top: 1 } as const
  const { span, totals, coverage, totalBuckets } = await usage.series(query, NOW)
  const known = totalBuckets.findIndex(({ requests }) => requests > 0)
  expect([totals.requests, sumOfUsage(totalBuckets).requests]).toEqual([3, 1])
  expect(coverage.gaps).toEqual([
    { from: span.start, to: plusMs(span.start, known * 3_600_000), reason: 'before-history' },
  ])
  await usage.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the usage of one provider', () => {
  const row = (hoursAgo: number, accountKey: string, provider: string) => ({
    at: plusMs(NOW, -hoursAgo * 3_600_000),
    key: BigInt(hoursAgo),
    accountKey,
    provider,
    apiName: 'key-a',
    model: 'shared',
    tokens: 10 ** Math.floor(hoursAgo / 20),
    failed: false,
  })
  const rows = [
    row(2, 'ann', 'claude'),
    row(21, 'ann', 'claude'),
    row(42, 'gone', 'claude'),
    row(63, 'other:claude', 'claude'),
    row(84, 'bob', 'codex'),
    row(105, 'ann', 'claude'),
  ]
  const asked = { filter: { provider: ['claude'] }, listed: new Map([['ann', 'claude']]) }
  const read = async (query: Partial<UsageQuestion>, usageDays = 90) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-history-'))
    const path = join(folder, 'history.db')
    const store = await openHistory(path)
    const batch = { receivedAt: NOW, details: rows, quarantined: [], saturatedCount: 0 }
    await store.usageOf(DEFAULT_UPSTREAM).record(batch)
    while (await store.retain({ ...PLAN, usageDays }, { asOf: NOW, rowsMax: 2_000 })) {}
    await store.close()
    const usage = await openUsage({ location: path, retentionDays: usageDays })
    try {
      const week = { range: '7d', group: 'total', metric: 'tokens', top: 8 } as const
      return await usage.series({ ...week, ...asked, ...query }, NOW)
    } finally {
      await usage.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }

  it('counts accounts that are no longer listed as one more', async () => {
    const { totals, breakdown } = await read({})

    expect(totals).toMatchObject({ requests: 5, tokens: 101_111 })
    expect(breakdown.rows.map(({ id, tokens }) => [id, tokens])).toEqual([
      ['ann', 100_011],
      ['other:claude', 1_000],
    ])
    expect([breakdown.otherCount, breakdown.other.tokens]).toEqual([1, 100])
  })

  it('has the hours of a week from its rows, and without them only those that are kept', async () => {
    const hours = async (usageDays: number) => {
      const { totalBuckets, coverage, totals } = await read({ bucket: '1h' }, usageDays)
      expect(totals.requests).toBe(5)
      return [
        totalBuckets.flatMap(({ tokens }) => (tokens > 0 ? [tokens] : [])),
        coverage.gaps.map(({ reason }) => reason),
      ]
    }

    expect(await hours(90)).toEqual([[100_000, 1_000, 100, 10, 1], ['before-history']])
    expect(await read({ bucket: '1h' }, 1)).toMatchObject({
      coarser: true,
      source: 'sums',
      span: { bucketSeconds: 7_200 },
    })
  })

  it('is counted by model from sums by rate once its rows are gone', async () => {
    const bucket = '6h'
    const kept = await read({ group: 'model', bucket })
    const gone = await read({ group: 'model', bucket }, 1)

    expect(kept.lines).toMatchObject([{ id: 'shared', requests: 5 }])
    expect([kept.refused, gone.refused]).toEqual([null, null])
    expect([gone.lines, gone.totals]).toEqual([kept.lines, kept.totals])
  })

  it('is counted by result from rows, and says why not once they are gone', async () => {
    const filter = { ...asked.filter, result: 'ok' } as const
    const kept = await read({ group: 'model', filter })
    const gone = await read({ group: 'model', filter }, 1)

    expect(kept.lines).toMatchObject([{ id: 'shared', requests: 5 }])
    expect([kept.refused, gone.refused?.reason]).toEqual([null, 'rows_gone'])
    expect([gone.lines, gone.breakdown.rows, gone.totals.requests]).toEqual([[], [], 0])
  })
})

it('answers where a sum is larger than any number it could be, with the largest that is exact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-history-'))
  const path = join(folder, 'history.db')
  await (await openHistory(path)).close()
  const db = openSqlite(path)
  db.exec("INSERT INTO accounts (id, instance, key, title) VALUES (1, '', 'account-1', '')")
  // Grouping and member: everything, and the one account.
  const insert = db.prepare(
    'INSERT INTO rollups (grouping, member_id, tier_seconds, bucket_s, requests, tokens, failed) VALUES (?, ?, 86400, ?, ?, ?, ?)',
  )
  const most = Number.MAX_SAFE_INTEGER
  for (const id of [0, 1]) {
    for (let day = 1; day <= 1_100; day += 1)
      insert.run(id, id, (dayOf(NOW) - day * DAY_MS) / 1000, most, most, most)
  }
  db.close()
  const usage = await openUsage({ location: path, retentionDays: 90 })
  try {
    const largest = { requests: most, tokens: most, failed: most }
    expect((await usage.summary(NOW)).history.totals).toMatchObject(largest)
    const series = await usage.series(
      { range: 'all', group: 'account', metric: 'requests', top: 1 },
      NOW,
    )
    expect(series.totals).toMatchObject(largest)
    expect(series.lines).toMatchObject([largest])
  } finally {
    await usage.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

it('knows since when usage is kept, and what was missed since then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-history-'))
  const path = join(folder, 'history.db')
  const store = await openHistory(path)
  const usage = await openUsage({ location: path, retentionDays: 90 })
  const ago = (minutes: number) => plusMs(NOW, -minutes * 60_000)
  const coverage = async () =>
    (await usage.series({ range: '1h', group: 'total', metric: 'tokens', top: 1 }, NOW)).coverage
  try {
    expect(await coverage()).toMatchObject({ since: null, percent: null })

    const firstPoll = { lastPollAt: ago(40), treeRequests: null }
    await store
      .usageOf(DEFAULT_UPSTREAM)
      .record({ receivedAt: NOW, details: [], quarantined: [], saturatedCount: 0 }, firstPoll)
    await store
      .usageOf(DEFAULT_UPSTREAM)
      .recordGap({ from: ago(30), to: ago(25), reason: 'batch_lost' })
    await store
      .usageOf(DEFAULT_UPSTREAM)
      .recordGap({ from: ago(27), to: ago(20), reason: 'proxy_restarted' })
    const { start } = (
      await usage.series({ range: '1h', group: 'total', metric: 'tokens', top: 1 }, NOW)
    ).span
    expect(await coverage()).toEqual({
      since: ago(40),
      percent: 75,
      gaps: [
        { from: start, to: ago(40), reason: 'before-history' },
        { from: ago(30), to: ago(20), reason: 'missed' },
      ],
    })

    // The proxy handed over what happened before the first poll.
    const details = [
      {
        at: ago(50),
        key: 1n,
        accountKey: 'account-1',
        apiName: 'key-a',
        model: 'gpt-5.5',
        tokens: 5,
        failed: false,
      },
    ]
    await store
      .usageOf(DEFAULT_UPSTREAM)
      .record({ receivedAt: NOW, details, quarantined: [], saturatedCount: 0 })
    expect(await coverage()).toMatchObject({ since: ago(50), percent: 80 })
  } finally {
    await usage.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Of rows older than the retention only their day is known. */
function dayOf(at: EpochMs): EpochMs {
  return epochMs(Math.floor(at / DAY_MS) * DAY_MS)
}

/** One row of each time and key: the first that was stored. */
function stored(details: readonly UsageDetail[]): readonly UsageDetail[] {
  const rows = new Map<string, UsageDetail>()
  for (const row of details)
    if (!rows.has(`${row.at} ${row.key}`)) rows.set(`${row.at} ${row.key}`, row)
  return [...rows.values()]
}

function recordOf(
  { at, accountKey, apiName, model, tokens, failed, classes = null, tier, ...detail }: UsageDetail,
  clients: ReadonlyMap<string, string>,
  book: PriceBook,
): UsageRecord {
  const client = LABELS.get(apiName) ?? clients.get(apiName) ?? ''
  const provider = providerOfUsage({ accountKey, provider: detail.provider ?? null })
  const day = Math.floor(at / DAY_MS)
  const priced = { model, provider, account: accountKey, day, band: bandOf(classes) }
  const cost = tokenCostOf(book.priceOf({ ...priced, tier: tier ?? null }), {
    ...(classes ?? { tokensIn: 0, tokensCached: 0, tokensWritten: 0, tokensOut: 0 }),
    tokens,
  })
  return {
    ...classes,
    ...(book.isEmpty ? {} : { cost }),
    at,
    account: { id: accountKey, label: accountKey },
    client: { id: client, label: client },
    model,
    apiName,
    provider,
    upstream: DEFAULT_UPSTREAM,
    requests: 1,
    tokens,
    failed: failed ? 1 : 0,
  }
}

/** Has the store take prices; returns the book that they make. */
async function takeAll(
  { files, own, multipliers }: typeof somePrices extends fc.Arbitrary<infer Some> ? Some : never,
  { store, usage, now }: { store: HistoryStore; usage: StoredUsage; now: EpochMs },
): Promise<PriceBook> {
  const today = Math.floor(now / DAY_MS)
  const stored: DatedPrice[] = []
  const inOrder = files.toSorted((one, other) => other.ago - one.ago)
  for (const [index, { ago, ...models }] of inOrder.entries()) {
    const source = {
      kind: 'litellm',
      sha256: `${index}`,
      readAt: plusMs(now, -ago * DAY_MS),
    } as const
    const file = { models: new Map(Object.entries(models).filter(([, rates]) => rates.length > 0)) }
    stored.push(...(await store.takePrices({ ...file, source }, today - ago)))
  }
  const settings = {
    own: {
      rates: own.flatMap(({ ago, rates }) =>
        rates.length === 0
          ? []
          : [{ model: 'gpt-5.4-mini', fromDay: today - ago, rates, source: null }],
      ),
      multipliers: multipliers.map(({ ago, ...one }) => ({ ...one, fromDay: today - ago })),
    },
    refused: new Map([['gpt-5.4-mini', 'zero'] as const]),
  }
  usage.usePrices(settings)
  return priceBookOf({ stored: lastOfDay(stored), ...settings })
}

/** Prices of which a later one of the same day replaces the earlier. */
function lastOfDay(prices: readonly DatedPrice[]): readonly DatedPrice[] {
  return [...new Map(prices.map((price) => [`${price.model} ${price.fromDay}`, price])).values()]
}

/** The one unlabelled client has a fingerprint that only the store can make. */
async function clientsOf(usage: StoredUsage, now: EpochMs): Promise<ReadonlyMap<string, string>> {
  const { breakdown } = await usage.series(
    { range: 'all', group: 'client', metric: 'requests', top: 20 },
    now,
  )
  const fingerprint = breakdown.rows.find(({ id }) => /^client-[0-9a-f]{8}$/.test(id))
  return new Map(fingerprint === undefined ? [] : [['constructor', fingerprint.id]])
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
}
