import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import {
  bucketStartsOf,
  placeAt,
  type RequestPlace,
  type RequestsPage,
  rankOf,
  sumOfUsage,
  type UsageQuestion,
  type UsageReader,
  type UsageRequest,
  type UsageRow,
  usageGroups,
  usageMetrics,
  usageRangeIds,
} from '@svc/core/usage'
import { createDemoUsageReader } from '@svc/demo'
import { openHistory, openUsage } from '@svc/history'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from './bench/goals.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56))
const DAY_MS = 86_400_000
const DAYS = 120

const folder = mkdtempSync(join(tmpdir(), 'svc-contract-'))
let stored: Awaited<ReturnType<typeof openUsage>>

beforeAll(async () => {
  const path = join(folder, 'history.db')
  const store = await openHistory(path)
  const random = seededRandom(4)
  const details = Array.from({ length: 20_000 }, (_, number) => ({
    at: plusMs(NOW, -Math.floor(random() ** 3 * DAYS * DAY_MS)),
    key: BigInt(number),
    accountKey: `account-${Math.floor(random() * 30)}`,
    apiName: `key-${Math.floor(random() * 12)}`,
    model: `model-${Math.floor(random() * 5)}`,
    tokens: Math.floor(random() * 50_000),
    failed: random() < 0.05,
  }))
  await store
    .usageOf(DEFAULT_UPSTREAM)
    .record(
      { receivedAt: NOW, details, quarantined: [], saturatedCount: 0 },
      { lastPollAt: NOW, treeRequests: null },
    )
  while (await store.retain({ usageDays: 90, historyDays: 90 }, { asOf: NOW, rowsMax: 2_000 })) {}
  await store.close()
  stored = await openUsage({ location: path, retentionDays: 90 })
  stored.useLabels(
    new Map([
      ['key-1', 'Team'],
      ['key-2', 'Team'],
    ]),
  )
})
afterAll(() => {
  stored.close()
  rmSync(folder, { recursive: true, force: true })
})

const readers: Readonly<Record<string, () => UsageReader>> = {
  'the sample': createDemoUsageReader,
  'the store': () => ({
    series: async (query, now) => stored.series(query, now),
    summary: async (now) => stored.summary(now),
    requests: async (question, left) => stored.requests(question, left),
    failures: async (question, now) => stored.failures(question, now),
  }),
}
/** Every range with every group, each by a part of the metrics. */
const PART = process.env.TEST_SIZE === 'full' ? 3 : 9
const queries: readonly UsageQuestion[] = usageRangeIds.flatMap((range, place) =>
  usageGroups.flatMap((group, column) =>
    usageMetrics
      .map((metric, index) => ({ range, group, metric, top: [1, 8, 20][index % 3] ?? 8 }))
      .filter((_, index) => (index + place + column) % PART === 0),
  ),
)
/** What whoever reads usage relies on, whoever answers. */
describe.each(Object.entries(readers))('usage read from %s', (name, make) => {
  const reader = make()
  // The sample makes its usage anew for every question.
  const asked = name === 'the sample' ? queries.filter((_, index) => index % 12 === 0) : queries
  const ranges = name === 'the sample' ? (['6h', '7d'] as const) : usageRangeIds

  it('comes in as many buckets as the range has, which add up to the lines, and these to no more than the totals', async () => {
    for (const query of asked) {
      const { span, lines, totals, breakdown } = await reader.series(query, NOW)
      const what = JSON.stringify(query)
      expect(lines.length, what).toBeLessThanOrEqual(query.group === 'total' ? 1 : query.top)
      for (const line of lines) {
        expect(line.buckets, what).toHaveLength(bucketStartsOf(span).length)
        expect(sumOfUsage(line.buckets), what).toEqual(sumOfUsage([line]))
        expect(line.failed, what).toBeLessThanOrEqual(line.requests)
      }
      const shown = sumOfUsage(lines)
      expect(shown.requests <= totals.requests && shown.tokens <= totals.tokens, what).toBe(true)
      expect(sumOfUsage([...breakdown.rows, breakdown.other]), what).toEqual(sumOfUsage([totals]))
      expect(breakdown.rows.length, what).toBeLessThanOrEqual(query.top)
      expect(breakdown.otherCount === 0, what).toBe(breakdown.other.requests === 0)
      expect(isRanked(breakdown.rows, query.metric) && isRanked(lines, query.metric), what).toBe(
        true,
      )
      expect(new Set(lines.map(({ id }) => id)).size, what).toBe(lines.length)
    }
  })

  it('gives the same totals however it is cut', async () => {
    for (const range of ranges) {
      const all = await Promise.all(
        usageGroups.map((group) => reader.series({ range, group, metric: 'tokens', top: 20 }, NOW)),
      )
      for (const { totals } of all) expect(totals, range).toEqual(all[0]?.totals)
    }
  })

  it('has as many failures by cause as failed requests in the same days', async () => {
    const { span, failed, causes, ofRequests } = await reader.failures(
      {
        between: { from: plusMs(NOW, -4 * DAY_MS), to: plusMs(NOW, -2 * DAY_MS) },
        filter: {},
      },
      NOW,
    )
    const question = { range: 'custom', group: 'total', metric: 'failed', top: 1 } as const
    const { totals } = await reader.series({ ...question, between: span }, NOW)

    expect(totals.failed).toBeGreaterThan(0)
    expect([failed, ofRequests]).toEqual([totals.failed, totals.requests])
    expect(sumOf(causes, ({ requests }) => requests)).toBe(failed)
  })

  it('is the same when it is asked for again', async () => {
    const query = { range: '7d', group: 'account', metric: 'tokens', top: 8 } as const
    expect(await reader.series(query, NOW)).toEqual(await reader.series(query, NOW))
  })

  it('has single requests, newest first in pages of any length, which add up to its charts', async () => {
    const now = epochMs(Math.floor(NOW / 60_000) * 60_000)
    const { span, totals } = await reader.series(
      { range: '24h', group: 'total', metric: 'tokens', top: 1 },
      now,
    )
    for (const limit of name === 'the sample' ? [500] : [97, 500]) {
      const found: UsageRequest[] = []
      let before: RequestPlace | null = placeAt(now)
      while (before !== null) {
        const page: RequestsPage = await reader.requests({ limit }, { from: span.start, before })
        expect(page.requests.length).toBeLessThanOrEqual(limit)
        found.push(...page.requests)
        before = page.next
      }
      expect(found.length).toBe(totals.requests)
      expect(sumOf(found, ({ tokens }) => tokens)).toBe(totals.tokens)
      expect(sumOf(found, ({ classes }) => classes?.tokensOut ?? 0)).toBe(totals.tokensOut)
      expect(found.filter(({ failed }) => failed).length).toBe(totals.failed)
      expect(found.filter(({ failure }) => failure === 'failedLimit').length).toBe(
        totals.failedLimit,
      )
      expect(found.map(({ at }) => at)).toEqual(
        found.map(({ at }) => at).toSorted((one, other) => other - one),
      )
    }
  })

  it('is summed up without contradiction', async () => {
    const { live, lastDay, history } = await reader.summary(NOW)
    const everything = await reader.series(
      { range: 'all', group: 'total', metric: 'tokens', top: 1 },
      NOW,
    )
    expect(sumOfUsage(lastDay.accounts)).toEqual(sumOfUsage([lastDay]))
    expect(sumOfUsage(lastDay.models)).toEqual(sumOfUsage([lastDay]))
    const dayChart = await reader.series(
      { range: '24h', group: 'total', metric: 'tokens', top: 1 },
      NOW,
    )
    expect(sumOfUsage([lastDay])).toEqual(dayChart.totals)
    expect(live.requests).toBeLessThanOrEqual(lastDay.requests)
    expect(sumOfUsage(live.accounts)).toEqual(sumOfUsage([live]))
    expect(live.accounts.length).toBeLessThanOrEqual(lastDay.accounts.length)
    expect(history.totals).toEqual(everything.totals)
    expect(history.earliest).toBe(everything.earliest)
    expect((history.earliest ?? 0) <= (history.latest ?? 0) && (history.latest ?? 0) < NOW).toBe(
      true,
    )
    expect(history.gapSeconds).toBeLessThanOrEqual(history.observedSeconds)
  })
})

function isRanked(rows: readonly UsageRow[], metric: UsageQuestion['metric']): boolean {
  const ranks = rows.map((row) => rankOf(metric, row))
  return ranks.every((rank, index) => index === 0 || (ranks[index - 1] ?? 0) >= rank)
}

function sumOf<One>(all: readonly One[], count: (one: One) => number): number {
  return all.reduce((sum, one) => sum + count(one), 0)
}
