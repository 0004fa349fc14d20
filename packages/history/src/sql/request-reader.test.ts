import { epochMs, plusMs } from '@svc/core'
import {
  isAsked,
  placeAt,
  providerOfUsage,
  REQUESTS_READ_MAX,
  type RequestPlace,
  type RequestsPage,
  type UsageDetail,
  type UsageFilter,
  type UsageRequest,
} from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, openUsage } from '../open-history.ts'
import { emptyStores } from '../testing/empty-stores.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'

const LABELS = new Map([
  ['key-a', 'Team'],
  ['key-b', 'Team'],
])
const UPSTREAMS = ['default', 'second'] as const

const count = fc.nat(1_000)
/** Few instants and few keys near both ends, so that places meet and 64 bits matter. */
const detail = fc
  .record({
    upstream: fc.constantFrom(...UPSTREAMS),
    ageMs: fc.oneof(fc.integer({ min: -3, max: 12 }), fc.integer({ min: 0, max: 4 * 86_400_000 })),
    key: fc.oneof(
      fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, 2n ** 53n + 1n, -1n, 0n),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    ),
    accountKey: fc.constantFrom('account-1', 'account-2', 'other:gemini'),
    provider: fc.constantFrom('codex', 'claude', null),
    apiName: fc.constantFrom('key-a', 'key-b', 'key-c'),
    model: fc.constantFrom('gpt-5.5', '__proto__'),
    tokens: count,
    failed: fc.boolean(),
    failure: fc.constantFrom('failedLimit', 'failedOther', null),
    tier: fc.constantFrom('priority', 'unknown', null),
    classes: fc.option(
      fc.record({ tokensIn: count, tokensCached: count, tokensWritten: count, tokensOut: count }),
    ),
    latencyMs: fc.option(count),
    firstTokenMs: fc.option(count),
  })
  .map(({ ageMs, ...rest }) => ({ ...rest, at: plusMs(NOW, -ageMs) }))
const someFilter: fc.Arbitrary<UsageFilter> = fc.record(
  {
    account: fc.subarray(['account-1', 'other:gemini', 'nobody'], { minLength: 1 }),
    client: fc.constant(['Team']),
    model: fc.subarray(['gpt-5.5', '__proto__'], { minLength: 1 }),
    provider: fc.subarray(['codex', 'claude', 'gemini'], { minLength: 1 }),
    upstream: fc.subarray(['default', 'second'], { minLength: 1 }),
    result: fc.constantFrom('ok', 'failed'),
    status: fc.subarray(['auth', 'limit', 'other'], { minLength: 1 }),
  },
  { requiredKeys: [] },
)
type Recorded = UsageDetail & { readonly upstream: (typeof UPSTREAMS)[number] }

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('in $engine', ({ whyNot, create }) => {
  beforeEach((context) => {
    if (whyNot !== null) context.skip(whyNot)
  })

  it('pages of any length, begun anywhere, are the kept requests in their order, each once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(detail, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 4 * 86_400_000 }),
        fc.integer({ min: -3, max: 6 }),
        fc.boolean(),
        someFilter,
        async (details: readonly Recorded[], lengths, fromAgeMs, beforeAgeMs, isCut, filter) => {
          const empty = await create()
          const history = await openHistory(empty.location)
          for (const upstream of UPSTREAMS)
            await history
              .usageOf(upstream)
              .record(aBatch(details.filter((one) => one.upstream === upstream)))
          await history.close()
          const cut = plusMs(NOW, -5)
          if (isCut)
            await empty.change(
              sql`INSERT INTO ${empty.tables.meta} (name, value) VALUES ('cut_ms', ${String(cut)})`,
            )
          const usage = await openUsage({ location: empty.location, retentionDays: 90 })
          usage.useLabels(LABELS)

          const from = plusMs(NOW, -fromAgeMs)
          const until = plusMs(NOW, -beforeAgeMs)
          const found: UsageRequest[] = []
          let before: RequestPlace | null = placeAt(until)
          for (let number = 0; before !== null; number += 1) {
            const limit = lengths[number % lengths.length] ?? 1
            const page: RequestsPage = await usage.requests({ limit, filter }, { from, before })
            expect(page.requests.length).toBeLessThanOrEqual(limit)
            found.push(...page.requests)
            before = page.next
          }
          await usage.close()

          const fingerprint = found.find(({ client }) => client.id !== 'Team')?.client ?? null
          expect(fingerprint?.id ?? 'client-00000000').toMatch(/^client-[0-9a-f]{8}$/)
          expect(found).toEqual(
            kept(details)
              .filter(({ at }) => at >= Math.max(from, isCut ? cut : 0) && at < until)
              .map(({ apiName, accountKey, upstream, key: _, ...rest }) => ({
                ...rest,
                account: { id: accountKey, label: accountKey },
                client:
                  apiName === 'key-c'
                    ? (fingerprint ?? { id: 'client', label: 'client' })
                    : { id: 'Team', label: 'Team' },
                upstream,
                provider: providerOfUsage({ accountKey, provider: rest.provider ?? null }),
              }))
              .filter((request) => isAsked(request as UsageRequest, filter)),
          )
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 20 : 6 },
    )
  })

  it('a rare request is found over pages that are short', async () => {
    const { location } = await create()
    const history = await openHistory(location)
    const rare = aDetail(60_000, { model: 'rare' })
    const common = Array.from({ length: REQUESTS_READ_MAX }, (_, index) => aDetail(index + 1))
    for (let start = 0; start < common.length; start += 10_000)
      await history.usageOf('default').record(aBatch(common.slice(start, start + 10_000)))
    await history.usageOf('default').record(aBatch([rare]))
    await history.close()
    const usage = await openUsage({ location, retentionDays: 90 })
    const page = (before: RequestPlace) =>
      usage.requests({ limit: 5, filter: { model: ['rare'] } }, { from: epochMs(0), before })
    const first = await page(placeAt(NOW))
    const second = await page(first.next ?? placeAt(NOW))
    await usage.close()

    expect([first.requests.length, second.requests.length, second.next]).toEqual([0, 1, null])
    expect(first.next).toMatchObject({ at: plusMs(NOW, -REQUESTS_READ_MAX * 1000) })
  }, 60_000)

  it('a request that arrives meanwhile is in a later page only if it is older', async () => {
    const { location } = await create()
    const history = await openHistory(location)
    const usage = await openUsage({ location, retentionDays: 90 })
    const { record } = history.usageOf('default')
    await record(aBatch([1, 2, 3, 4].map((number) => aDetail(number * 10))))
    const first = await usage.requests({ limit: 2 }, { from: epochMs(0), before: placeAt(NOW) })
    await record(aBatch([5, 25].map((number) => aDetail(number))))
    const rest = await usage.requests(
      { limit: 9 },
      { from: epochMs(0), before: first.next ?? placeAt(NOW) },
    )
    await history.close()
    await usage.close()

    const agesOf = ({ requests }: RequestsPage) => requests.map(({ at }) => (NOW - at) / 1000)
    expect([agesOf(first), agesOf(rest), rest.next]).toEqual([[10, 20], [25, 30, 40], null])
  })
})

/** Distinct requests, newest first; of two in one place the one recorded first stays. */
function kept(details: readonly Recorded[]): readonly Recorded[] {
  const byPlace = new Map<string, Recorded>()
  for (const upstream of UPSTREAMS)
    for (const one of details.filter((other) => other.upstream === upstream))
      if (!byPlace.has(`${one.at} ${one.key}`)) byPlace.set(`${one.at} ${one.key}`, one)
  return [...byPlace.values()].sort(
    (one, other) => other.at - one.at || (other.key > one.key ? 1 : -1),
  )
}
