import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { DAY_MS, epochMs, HOUR_MS, plusMs } from '@svc/core'
import {
  bandBounds,
  bandOf,
  providerOfUsage,
  type UsageDetail,
  type UsagePiece,
} from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isDayExact, recountDay } from '../backup/target/import-days.ts'
import { createNames } from '../backup/target/import-names.ts'
import { openHistory } from '../open-history.ts'
import { rates as postgresRates } from '../postgres/migrations/0004-rates.ts'
import { createUsageQueries as postgresQueries } from '../postgres/usage-query.ts'
import { rates as sqliteRates } from '../sqlite/migrations/0005-rates.ts'
import { openFile } from '../sqlite/sqlite.ts'
import { createUsageQueries as sqliteQueries } from '../sqlite/usage-query.ts'
import { connectTo } from '../testing/connect-to.ts'
import { type EmptyStore, emptyStores } from '../testing/empty-stores.ts'
import { databaseClass } from '../testing/own-stores.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'
import { isKept, tiersOf } from '../usage/tiers.ts'
import type { UsageQueries } from '../usage/usage-queries.ts'
import type { HistoryStore } from './history-store.ts'
import { settleRates } from './retention.ts'

const stores = emptyStores()
afterAll(stores.remove)

const count = fc.oneof(fc.nat(1_000), fc.constantFrom(128_000, 128_001, 200_001, 272_001))
const detail = fc
  .record({
    ageMs: fc.oneof(fc.nat(5 * 7_200_000), fc.nat(40 * DAY_MS)),
    key: fc.bigInt({ min: 0n, max: 999n }),
    accountKey: fc.constantFrom('ann', 'bob', 'other:gemini'),
    provider: fc.constantFrom('codex', 'claude', null),
    apiName: fc.constantFrom('key-a', 'key-b'),
    model: fc.constantFrom('m', 'n'),
    failed: fc.boolean(),
    failure: fc.constantFrom('failedLimit', 'failedOther', null),
    classes: fc.option(
      fc.record({ tokensIn: count, tokensCached: count, tokensWritten: count, tokensOut: count }),
    ),
    tier: fc.constantFrom('priority', 'flex', 'unknown', null),
  })
  .map(({ ageMs, ...rest }): UsageDetail => {
    const { classes } = rest
    const tokens =
      classes === null ? 9 : Object.values(classes).reduce((sum, tokens) => sum + tokens, 0)
    return {
      ...rest,
      tokens,
      failure: rest.failed ? rest.failure : null,
      at: plusMs(NOW, -ageMs - 1),
    }
  })

/** A request on each side of every bound of the bands. */
const atBounds: readonly UsageDetail[] = [
  0,
  ...bandBounds.flatMap((bound) => [bound, bound + 1]),
].map((tokens, index) => ({
  ...aDetail(100 + index, { accountKey: 'ann', apiName: 'key-a', model: 'm', tokens }),
  classes: { tokensIn: 0, tokensCached: tokens, tokensWritten: 0, tokensOut: 0 },
}))

const RATE_TIERS = tiersOf(6)
const TIERS = { priority: 1, flex: 2, unknown: 9 } as const

/** Sums by rate of requests, as lines; of two in one place the first counts. */
function expected(details: readonly UsageDetail[]): readonly string[] {
  const distinct = new Map<string, UsageDetail>()
  for (const one of details)
    if (!distinct.has(`${one.at} ${one.key}`)) distinct.set(`${one.at} ${one.key}`, one)
  const sums = new Map<string, number[]>()
  for (const one of distinct.values()) {
    const { classes = null, failure, failed, tier } = one
    const rate = [
      one.model,
      'default',
      providerOfUsage(one),
      tier == null ? 0 : TIERS[tier],
      bandOf(classes) ?? 9,
    ]
    const measures = [
      ...[1, one.tokens, failed ? 1 : 0],
      ...[classes?.tokensIn, classes?.tokensCached, classes?.tokensWritten, classes?.tokensOut],
      ...['failedAuth', 'failedLimit', 'failedVendor', 'failedOther'].map((name) =>
        failed && failure === name ? 1 : 0,
      ),
    ].map((amount) => amount ?? 0)
    for (const [grouping, member] of [
      [6, one.accountKey],
      [7, one.apiName],
      [8, null],
    ])
      for (const kept of RATE_TIERS) {
        const bucketS = Math.floor(one.at / 1000 / kept.seconds) * kept.seconds
        if (!isKept(bucketS, kept, NOW)) continue
        const key = [kept.seconds, grouping, bucketS, member, ...rate].join(' ')
        const sum = sums.get(key) ?? measures.map(() => 0)
        sums.set(
          key,
          sum.map((amount, index) => amount + (measures[index] ?? 0)),
        )
      }
  }
  return [...sums].map(([key, sum]) => `${key}: ${sum.join(' ')}`).sort()
}

describe.each(stores.engines)('sums by rate in $engine', ({ engine, whyNot, create }) => {
  let store: EmptyStore
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
  })

  const record = async (...batches: readonly (readonly UsageDetail[])[]) => {
    const history = await openHistory(store.location)
    try {
      for (const batch of batches) await history.usageOf('default').record(aBatch(batch))
    } finally {
      await history.close()
    }
  }
  const sums = async (of = store) => {
    const { accounts, apiNames, cells, models, providers, sumsOfTier, upstreams } = of.tables
    const lines: string[] = []
    for (const { seconds } of RATE_TIERS) {
      const { sums: table, ofTier } = sumsOfTier(seconds)
      const rows = await of.rows(sql`
        SELECT ${table.grouping}, ${table.bucketS},
          CASE ${cells.kind} WHEN 6 THEN (SELECT ${accounts.key} FROM ${accounts} WHERE ${accounts.id} = ${cells.memberId})
            WHEN 7 THEN (SELECT ${apiNames.name} FROM ${apiNames} WHERE ${apiNames.id} = ${cells.memberId}) END AS member,
          ${models.name} AS model, ${upstreams.name} AS upstream, ${providers.name} AS provider, ${cells.tier}, ${cells.band},
          ${table.requests}, ${table.tokens}, ${table.failed}, ${table.tokensIn}, ${table.tokensCached}, ${table.tokensWritten}, ${table.tokensOut},
          ${table.failedAuth}, ${table.failedLimit}, ${table.failedVendor}, ${table.failedOther}
        FROM ${table} JOIN ${cells} ON ${cells.id} = ${table.memberId} AND ${cells.kind} = ${table.grouping}
        JOIN ${models} ON ${models.id} = ${cells.modelId} JOIN ${upstreams} ON ${upstreams.id} = ${cells.upstreamId}
        JOIN ${providers} ON ${providers.id} = ${cells.providerId} WHERE ${ofTier}`)
      for (const row of rows)
        lines.push(`${seconds} ${row.slice(0, 8).join(' ')}: ${row.slice(8).join(' ')}`)
    }
    return lines.sort()
  }

  it('are those of the rows, each once, by tier and band, in two widths', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(detail, { maxLength: 30 }), { minLength: 1, maxLength: 3 }),
        async (batches) => {
          store = await create()
          await record(...batches, batches[0] ?? [])

          expect(await sums()).toEqual(expected(batches.flat()))
          const { sums: minutes, ofTier } = store.tables.sumsOfTier(60)
          expect(
            await store.rows(
              sql`SELECT ${minutes.grouping} FROM ${minutes} WHERE ${ofTier} AND ${minutes.grouping} > 5`,
            ),
          ).toEqual([])
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 15 : 4 },
    )
  })

  const upkeep = (history: HistoryStore, hoursAgo: number) =>
    history.retain(
      { usageDays: 90, historyDays: 90 },
      { asOf: plusMs(NOW, -hoursAgo * HOUR_MS), rowsMax: 1 },
    )

  it('are made by upkeep, in parts that leave out none of the requests of one instant', async () => {
    const before = await openHistory(store.location)
    await upkeep(before, 6)
    const at = (index: number) => plusMs(NOW, -5 * HOUR_MS + Math.floor(index / 15_000))
    const details = Array.from({ length: 45_000 }, (_, index) =>
      aDetail(index, { at: at(index), accountKey: `account-${index % 3}`, apiName: 'key-a' }),
    )
    for (let start = 0; start < details.length; start += 5_000)
      await before.usageOf('default').record(aBatch(details.slice(start, start + 5_000)))
    expect(await sums()).toEqual([])
    await before.close()
    const history = await openHistory(store.location)
    await upkeep(history, 0)
    await history.close()

    expect(await sums()).toEqual(expected(details))
  })

  it('are made of the requests stored before and after a restart and by others, each once', async () => {
    const details = fc
      .sample(detail, { numRuns: 120, seed: 4 })
      .map((one, index) => ({ ...one, at: plusMs(NOW, -index * 120_000), key: BigInt(index) }))
      .toReversed()
    let history = await openHistory(store.location)
    // A file has one writer.
    const other = engine === 'sqlite' ? null : await openHistory(store.location)
    await upkeep(history, 5)
    for (const [index, one] of details.entries()) {
      const writer = index % 30 === 29 ? (other ?? history) : history
      await writer.usageOf('default').record(aBatch([one]))
      if (index % 10 === 9) await upkeep(history, (NOW - one.at) / HOUR_MS)
      if (index % 50 !== 44) continue
      await history.close()
      history = await openHistory(store.location)
    }
    await upkeep(history, -1)
    await history.close()
    await other?.close()

    expect(await sums()).toEqual(expected(details))
  })

  it('are found again for each stored row: a day that is counted anew stays as it is', async () => {
    const details = [...fc.sample(detail, { numRuns: 80, seed: 49 }), ...atBounds]
    await record(details)
    const before = await sums()
    for (const startMs of new Set(details.map(({ at }) => Math.floor(at / DAY_MS) * DAY_MS))) {
      expect(await isDayExact(store.db, startMs, null)).toBe(true)
      await store.db.transaction('write', () =>
        recountDay({ ...store.engine, names: createNames(store.db) }, startMs, NOW),
      )
    }

    expect(await sums()).toEqual(before)
  })

  it('are read as the rows would be, looked up or walked through', async () => {
    await record(fc.sample(detail, { numRuns: 150, seed: 11 }))
    const close: (() => unknown)[] = []
    const queriesOf = async (): Promise<UsageQueries> => {
      if (engine === 'sqlite') {
        const db = openFile(store.location)
        close.push(() => db.close())
        return sqliteQueries(db)
      }
      const session = await connectTo(store.location)
      close.push(() => session.close())
      return postgresQueries(session)
    }
    const queries = await queriesOf()
    const end = epochMs(Math.ceil(NOW / DAY_MS) * DAY_MS)
    const pieceOf = (from: number, seconds: number | null): UsagePiece => ({
      ...{ from: epochMs(from), to: end, seconds, sign: 1 },
    })
    const first = plusMs(end, -42 * DAY_MS)
    const rows = [pieceOf(first, null)]
    // Of so many days no sum is looked up by itself.
    const ways = [[pieceOf(first, 86_400)], [pieceOf(0, 86_400)]]
    const ids = fc.option(fc.subarray([1, 2, 3]), { nil: undefined })
    const names = ['account', 'api', 'model', 'upstream', 'provider'] as const
    const byId = <One extends { readonly memberId: number; readonly index?: number }>(
      found: readonly One[],
    ) =>
      found.toSorted(
        (one, other) => one.memberId - other.memberId || (one.index ?? 0) - (other.index ?? 0),
      )
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.shuffledSubarray([...names], { maxLength: 2 }),
          fc.tuple(ids, ids, ids, ids, ids),
          async (by, asked) => {
            const members = names.flatMap((grouping, index) => {
              const wanted = asked[index]
              return wanted === undefined ? [] : [{ grouping, ids: wanted }]
            })
            const dimensions = new Set<string>([...by, ...members.map(({ grouping }) => grouping)])
            fc.pre(!(dimensions.has('account') && dimensions.has('api')))
            const source = dimensions.has('account')
              ? 'account_rate'
              : dimensions.has('api')
                ? 'client_rate'
                : 'total_rate'
            const groupings = by.length === 0 ? (['total'] as const) : by
            const selection = { groupings, filter: { members } }
            const ofRows = byId(await queries.members({ ...selection, source: 'rows' }, rows))
            const wanted = ofRows.map(({ memberId }) => memberId)
            const days = { start: first, bucketSeconds: 7 * 86_400 }
            const weeks = await queries.buckets(
              { ...selection, source: 'rows' },
              wanted,
              rows,
              days,
            )
            for (const pieces of ways) {
              const found = await queries.members({ ...selection, source }, pieces)
              expect(byId(found)).toEqual(ofRows)
              const buckets = await queries.buckets({ ...selection, source }, wanted, pieces, days)
              expect(byId(buckets)).toEqual(byId(weeks))
            }
          },
        ),
        { numRuns: process.env.TEST_SIZE === 'full' ? 60 : 20 },
      )
    } finally {
      for (const end of close) await end()
    }
  })

  /** Takes the store back to the schema before there were sums by rate. */
  const takeBack = async () => {
    const prefix = engine === 'sqlite' ? '' : 'svc_quota_monitor.'
    const run = (text: string) => store.change(sql.raw(text))
    for (const table of ['cells', 'causes', 'failure_causes', 'prices', 'price_sources'])
      await run(`DROP TABLE ${prefix}${table}`)
    await run(`ALTER TABLE ${prefix}usage DROP COLUMN tier`)
    await run(`ALTER TABLE ${prefix}capacity_points DROP COLUMN usable_units`)
    for (const { seconds } of RATE_TIERS) {
      const { sums: table } = store.tables.sumsOfTier(seconds)
      await store.change(sql`DELETE FROM ${table} WHERE ${table.grouping} > 5`)
    }
    await run(
      engine === 'sqlite'
        ? 'PRAGMA user_version = 5'
        : `UPDATE svc_quota_monitor.meta SET value = '4' WHERE name = 'schema_version'`,
    )
  }
  const bringUpToDate = async () => await (await openHistory(store.location)).close()
  const since = (name = 'pairs_since_ms') =>
    store.rows(
      sql`SELECT value FROM ${store.tables.meta} WHERE ${store.tables.meta.name} = ${name}`,
    )
  /** Requests as an earlier version stored them. */
  const earlier = [...fc.sample(detail, { numRuns: 120, seed: 7 }), ...atBounds]
    .filter(({ at }) => at > NOW - 20 * DAY_MS)
    .map((one) => ({ ...one, tier: null }))

  it('of a store from before are those of its rows', async () => {
    await record(earlier)
    await takeBack()
    await bringUpToDate()

    expect(await sums()).toEqual(expected(earlier))
    expect(await since()).toEqual([])
    const newest = Math.max(...earlier.map(({ at }) => at))
    expect(await since('tiers_since_ms')).toEqual([
      [String((Math.floor(newest / DAY_MS) + 1) * DAY_MS)],
    ])
    await record([aDetail(1, { accountKey: 'ann', apiName: 'key-a', model: 'm' })])
    expect(await sums()).toEqual(
      expected([...earlier, aDetail(1, { accountKey: 'ann', apiName: 'key-a', model: 'm' })]),
    )
  })

  it('of a store whose older rows are gone begin behind the last day that lacks some', async () => {
    await record(earlier)
    const day = Math.floor((NOW - 5 * DAY_MS) / DAY_MS) * DAY_MS
    const gone = plusMs(epochMs(day), DAY_MS / 2)
    await record([aDetail(0, { at: plusMs(gone, -5), key: 1n })])
    await takeBack()
    await store.change(
      sql`DELETE FROM ${store.tables.usage} WHERE ${store.tables.usage.atMs} < ${gone}`,
    )
    await bringUpToDate()

    expect(await since()).toEqual([[String(day + DAY_MS)]])
    expect(await sums()).toEqual(expected(earlier.filter(({ at }) => at >= gone)))
    await store.db.transaction('write', () => settleRates(store.db))
    expect(await since()).toEqual([[String(day + DAY_MS)]])
  })

  it('are made once, however often the update is killed on the way', async () => {
    await record(earlier)
    await takeBack()
    for (let done = 1; done <= 10; done += 1) await killBehind(done)
    await bringUpToDate()

    expect(await sums()).toEqual(expected(earlier))
  })

  /** Kills the update behind that many of its statements. */
  const killBehind = async (done: number) => {
    if (engine === 'sqlite') {
      const statements = sqliteRates.split(';').slice(0, done + 6)
      const child = spawn(process.execPath, [
        '-e',
        `const Database = ${databaseClass()}; const db = new Database(${JSON.stringify(store.location)})
         db.exec('BEGIN IMMEDIATE'); for (const one of ${JSON.stringify(statements)}) db.exec(one)
         process.kill(process.pid, 'SIGKILL')`,
      ])
      const [, signal] = await once(child, 'exit')
      expect(signal).toBe('SIGKILL')
      return
    }
    const session = await connectTo(store.location)
    let left = done * 4
    const run = (text: string, values?: readonly unknown[]) => {
      left -= 1
      return left > 0
        ? session.run(text, values)
        : session.run('SELECT pg_terminate_backend(pg_backend_pid())')
    }
    const update = session.transaction('write', () => postgresRates({ rows: session.rows, run }))
    await expect(update).rejects.toThrow()
    await session.close()
  }
})

describe.each(stores.engines)('failures by cause in $engine', ({ whyNot, create }) => {
  let store: EmptyStore
  let history: HistoryStore
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
    history = await openHistory(store.location)
  })
  afterEach(() => history?.close())

  const failure = (number: number, code: string, changes: Partial<UsageDetail> = {}): UsageDetail =>
    aDetail(number, { failed: true, provider: 'codex', cause: { status: 429, code }, ...changes })
  const causes = () => {
    const { accounts, causes: names, failureCauses: table, providers } = store.tables
    return store.rows(
      sql`SELECT ${accounts.key}, ${providers.name}, ${names.status}, ${names.code}, ${table.requests} FROM ${table}
        JOIN ${accounts} ON ${accounts.id} = ${table.accountId} JOIN ${providers} ON ${providers.id} = ${table.providerId}
        JOIN ${names} ON ${names.id} = ${table.causeId} AND ${names.providerId} = ${table.providerId} ORDER BY 1, 2, 3, 4`,
    )
  }
  const days = () => {
    const { failureCauses: table } = store.tables
    return store.rows(sql`SELECT DISTINCT ${table.day} FROM ${table} ORDER BY 1`)
  }

  it('are counted once a request, for its account and provider', async () => {
    const usage = history.usageOf('default')
    const batch = [
      failure(3, 'usage_limit_reached'),
      failure(6, 'usage_limit_reached'),
      failure(9, 'none', { cause: null }),
      failure(4, 'overloaded_error', { provider: 'claude' }),
      aDetail(5),
    ]
    await usage.record(aBatch(batch))
    await usage.record(aBatch([...batch, failure(12, 'usage_limit_reached')]))

    expect(await causes()).toEqual([
      ['account-0', 'codex', 0, 'none', 1],
      ['account-0', 'codex', 429, 'usage_limit_reached', 3],
      ['account-1', 'claude', 429, 'overloaded_error', 1],
    ])
  })

  it('of a batch that failed are not counted', async () => {
    const broken = aDetail(3, { tokens: {} as number })
    await expect(
      history.usageOf('default').record(aBatch([failure(6, 'x'), broken])),
    ).rejects.toThrow()

    expect(await causes()).toEqual([])
  })

  it('have no more codes than a provider has room for, over restarts and proxies', async () => {
    const letters = (number: number) =>
      number.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')
    const batchFrom = (first: number, provider: string) =>
      aBatch(
        Array.from({ length: 40 }, (_, index) =>
          failure(first + index, letters(first + index), { provider, accountKey: 'a' }),
        ),
      )
    await history.usageOf('default').record(batchFrom(0, 'codex'))
    await history.usageOf('tokyo').record(batchFrom(100, 'codex'))
    await history.close()
    history = await openHistory(store.location)
    await history.usageOf('default').record(batchFrom(200, 'codex'))
    await history.usageOf('default').record(batchFrom(300, 'claude'))

    const found = await causes()
    const of = (provider: string) => found.filter((row) => row[1] === provider)
    expect(new Set(of('codex').map((row) => row[3])).size).toBe(65)
    expect(of('claude')).toHaveLength(40)
    expect(found.reduce((sum, row) => sum + Number(row[4]), 0)).toBe(160)
    const others = of('codex').filter((row) => row[3] === 'other')
    expect(others.reduce((sum, row) => sum + Number(row[4]), 0)).toBe(56)
  })

  it('are kept for 90 days, whatever is kept of requests', async () => {
    const usage = history.usageOf('default')
    const at = (age: number) => plusMs(NOW, -age * DAY_MS)
    await usage.record(aBatch([90, 91, 92].map((age) => failure(age, 'x', { at: at(age) }))))
    const forget = async (asOf = NOW) => {
      while (await history.retain({ usageDays: 365, historyDays: 365 }, { asOf, rowsMax: 1 })) {}
    }
    await forget()
    expect(await days()).toEqual([[Math.floor(at(90) / DAY_MS)]])
    await forget(plusMs(NOW, DAY_MS))
    expect(await days()).toEqual([])
  })
})
