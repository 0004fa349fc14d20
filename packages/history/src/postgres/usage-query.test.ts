import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'
import { bucketUsage, memberUsage } from '../testing/usage-selection.ts'
import type { Selection } from '../usage/usage-queries.ts'
import { openPostgresStore } from './postgres-store.ts'
import type { Session } from './session.ts'
import { createUsageQueries } from './usage-query.ts'

const DAY_MS = 86_400_000

const schemas = freshSchemas()
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})
afterAll(() => schemas.remove())

async function stored(details: readonly UsageDetail[]): Promise<FreshSchema> {
  const fresh = await schemas.next()
  const store = await openPostgresStore(fresh.address)
  await store.usageOf(DEFAULT_UPSTREAM).record(aBatch(details))
  await store.close()
  return fresh
}

/** Some requests of the last thirty days, many of them close to now, and some of the next minute. */
const USAGE: readonly UsageDetail[] = Array.from({ length: 400 }, (_, number) =>
  aDetail(number, {
    at: plusMs(NOW, 60_000 - Math.floor((number / 400) ** 4 * 30 * DAY_MS)),
    tokens: number,
    failed: number % 7 === 0,
    model: `model-${number % 5}`,
  }),
)

function sumBetween(usage: readonly UsageDetail[], from: number, to: number) {
  const inside = usage.filter(({ at }) => at >= from && at < to)
  return {
    requests: inside.length,
    tokens: inside.reduce((sum, { tokens }) => sum + tokens, 0),
    failed: inside.filter(({ failed }) => failed).length,
  }
}

function total(rows: readonly { requests: number; tokens: number; failed: number }[]) {
  return rows.reduce(
    (sum, row) => ({
      requests: sum.requests + row.requests,
      tokens: sum.tokens + row.tokens,
      failed: sum.failed + row.failed,
    }),
    { requests: 0, tokens: 0, failed: 0 },
  )
}

describe('usage that PostgreSQL adds up', () => {
  let fresh: FreshSchema
  beforeAll(async () => {
    if (whyNoPostgres() === null) fresh = await stored(USAGE)
  })

  it('of all members up to now is what its rows add up to, however far it reaches back', async () => {
    const queries = createUsageQueries(fresh.session)
    const spans = fc.oneof(
      fc.integer({ min: 0, max: 7_200_000 }),
      fc.integer({ min: 0, max: 32 * DAY_MS }),
    )
    const groupings = fc.constantFrom('total', 'account', 'model', 'api', 'upstream', 'provider')
    await fc.assert(
      fc.asyncProperty(spans, fc.nat(120_000), groupings, async (spanMs, sinceMs, grouping) => {
        const to = plusMs(NOW, sinceMs)
        const from = plusMs(to, -spanMs)
        expect(total(await memberUsage(queries, grouping as 'total', from, to))).toEqual(
          sumBetween(USAGE, from, to),
        )
      }),
    )
  })

  it.each([
    { bucketSeconds: 60, buckets: 20 },
    { bucketSeconds: 900, buckets: 30 },
    { bucketSeconds: 7_200, buckets: 40 },
    { bucketSeconds: 86_400, buckets: 20 },
  ])('in buckets of $bucketSeconds s is what the rows of each add up to', async (asked) => {
    const { bucketSeconds, buckets } = asked
    const bucketMs = bucketSeconds * 1000
    // The last bucket is under way.
    const to = plusMs(NOW, 20_500)
    const from = epochMs((Math.floor(to / bucketMs) - buckets + 1) * bucketMs)
    const span = { from, to, bucketSeconds }
    const found = await bucketUsage(createUsageQueries(fresh.session), 'account', [1, 2, 3], span)

    for (let index = 0; index < buckets; index += 1) {
      const start = from + index * bucketMs
      expect(total(found.filter((bucket) => bucket.index === index)), `bucket ${index}`).toEqual(
        sumBetween(USAGE, start, Math.min(to, start + bucketMs)),
      )
    }
  })

  it('is that of the members asked for', async () => {
    const queries = createUsageQueries(fresh.session)
    const span = { from: plusMs(NOW, -DAY_MS), to: NOW, bucketSeconds: 900 }
    const members = await memberUsage(queries, 'model', span.from, NOW)
    const one = members[0]?.memberId ?? 0
    const found = await bucketUsage(queries, 'model', [one], span)

    const manyOthers = Array.from({ length: 1_000 }, (_, number) => 1_000 + number)

    expect(await bucketUsage(queries, 'model', [], span)).toEqual([])
    // So many are not looked up one by one.
    expect(await bucketUsage(queries, 'model', [one, ...manyOthers], span)).toEqual(found)
    expect(members).toHaveLength(5)
    expect(new Set(found.map(({ memberId }) => memberId))).toEqual(new Set([one]))
    expect(members.slice(0, 1)).toMatchObject([{ memberId: one, ...total(found) }])
  })
})

describe('usage of a moment', () => {
  it('leaves out what a proxy with a fast clock has dated later', async () => {
    const now = plusMs(NOW, 30_000)
    const { session } = await stored([aDetail(-29), aDetail(-30), aDetail(-45)])
    const members = await memberUsage(
      createUsageQueries(session),
      'account',
      plusMs(now, -DAY_MS),
      now,
    )

    expect(members.map(({ requests }) => requests)).toEqual([1])
  })

  it('that says no provider is of the one that its account stands for, whether it is read from rows or from sums', async () => {
    const at = plusMs(NOW, 30_000)
    const { session } = await stored([
      aDetail(1, { at, accountKey: 'other:gemini' }),
      aDetail(2, { at, accountKey: 'ana' }),
      aDetail(3, { at, provider: 'claude' }),
    ])
    const queries = createUsageQueries(session)
    const until = (to: EpochMs) => memberUsage(queries, 'provider', plusMs(NOW, -DAY_MS), to)

    expect(await until(plusMs(NOW, 60_000))).toHaveLength(3)
    // The sums of the minute are all of it: what is taken off again are rows.
    expect(await until(plusMs(NOW, 10_000))).toEqual([])
  })

  it.each([
    { what: 'once, if the filter names no others', filtered: [3, 5], conditions: 1 },
    { what: 'beside the filter that names others too', filtered: [3, 5, 8], conditions: 2 },
  ])('tells the members $what', async ({ filtered, conditions }) => {
    const asked: string[] = []
    const { buckets } = createUsageQueries({
      rows: async (query: string) => {
        asked.push(query)
        return []
      },
    } as unknown as Session)
    const selection: Selection = {
      source: 'client_rate',
      groupings: ['api'],
      filter: { members: [{ grouping: 'api', ids: filtered }] },
      rated: { byAccount: false },
    }
    const sums = { seconds: 7_200, from: epochMs(0), to: NOW, sign: 1 } as const
    await buckets(selection, [3, 5], [sums], { start: epochMs(0), bucketSeconds: 7_200 })

    expect(asked.at(-1)?.match(/member_id\)?(?:::bigint)? = ANY/g)).toHaveLength(conditions)
  })

  it('never adds up to more than is exact', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const { session } = await schemas.next()
    await session.run(
      `INSERT INTO svc_quota_monitor.rollup_86400 (grouping, bucket_s, member_id, requests, tokens, failed, tokens_in, tokens_cached, tokens_written, tokens_out)
       SELECT 0, 86400 * day, 0, ${most}, ${most}, ${most}, 0, 0, 0, 0 FROM generate_series(1, 1100) AS days (day)`,
    )
    const queries = createUsageQueries(session)

    expect(await memberUsage(queries, 'total', epochMs(0), NOW)).toMatchObject([
      { memberId: 0, requests: most, tokens: most, failed: most },
    ])
  })
})
