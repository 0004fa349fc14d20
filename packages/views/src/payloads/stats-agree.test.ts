import { epochMs, plusMs } from '@svc/core'
import {
  isBucketOf,
  seriesOf,
  type UsageRecord,
  usageBucketIds,
  usageGroups,
  usageRangeIds,
} from '@svc/core/usage'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { languages } from '../language/language.ts'
import { catalogueOf } from '../messages/wording.ts'
import { statsSeriesCsv } from './csv.ts'
import { seriesDefaults, statsSeriesView } from './stats-series.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56))
const DAY_MS = 86_400_000
const PROVIDERS = ['codex', 'claude', 'xai'] as const
const LISTED = new Map(PROVIDERS.map((provider) => [`account-${provider}`, provider]))

const records: fc.Arbitrary<readonly UsageRecord[]> = fc.array(
  fc
    .record({
      at: fc.integer({ min: NOW - 31 * DAY_MS, max: NOW + DAY_MS }).map(epochMs),
      provider: fc.constantFrom(...PROVIDERS),
      client: fc.constantFrom('laptop', 'CI'),
      model: fc.constantFrom('m1', 'm2'),
      requests: fc.integer({ min: 1, max: 9 }),
      tokens: fc.nat(1_000_000),
      failed: fc.nat(1),
    })
    .map(({ provider, client, ...used }) => ({
      ...used,
      provider,
      account: { id: `account-${provider}`, label: provider },
      client: { id: client, label: client },
      apiName: client,
      upstream: 'default',
    })),
  { maxLength: 40 },
)

/** Sums of requests, tokens and failures over the rows of a table or of its CSV. */
const summed = (rows: readonly (readonly number[])[]) =>
  [0, 1, 2].map((column) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0))
const counts = ({
  requests,
  tokens,
  failed,
}: Pick<UsageRecord, 'requests' | 'tokens' | 'failed'>) => [requests, tokens, failed]
const csvCounts = (csv: string) =>
  csv
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',').slice(3, 6).map(Number))

describe.each(languages)('the usage of a provider in %s', (language) => {
  it('is one number in the head, the table, the chart and the export, whatever the buckets', () => {
    fc.assert(
      fc.property(
        records,
        fc.constantFrom(...PROVIDERS, 'all'),
        fc.constantFrom(...usageRangeIds),
        fc.constantFrom(...usageBucketIds),
        fc.constantFrom(...usageGroups),
        (all, provider, range, bucket, group) => {
          fc.pre(isBucketOf(bucket, { range, group }))
          const of = provider === 'all' ? {} : { filter: { provider: [provider] }, listed: LISTED }
          const query = {
            ...seriesDefaults,
            range,
            bucket,
            group,
            metric: 'tokens',
            ...of,
          } as const
          const earliest = plusMs(NOW, -31 * DAY_MS)
          const view = (asked: typeof query | (typeof query & { bucket: 'auto' })) =>
            statsSeriesView(seriesOf(all, asked, { now: NOW, earliest }), asked, {
              warnings: [],
              words: catalogueOf(language),
            })
          const seen = view(query)
          const { totals, breakdown, series, total } = seen
          const head = counts(totals)
          const own = all.filter(
            ({ at, provider: its }) =>
              (provider === 'all' || its === provider) &&
              at >= Date.parse(seen.range.start ?? '') &&
              at < NOW,
          )

          expect(head).toEqual(summed(own.map(counts)))
          expect(summed([...breakdown.items, breakdown.other].map(counts))).toEqual(head)
          expect(summed((total?.points ?? []).map(counts))).toEqual(head)
          expect(summed(series.map(counts))).toEqual(head)
          expect(summed(csvCounts(statsSeriesCsv(seen)))).toEqual(head)
          expect(counts(view({ ...query, bucket: 'auto' }).totals)).toEqual(head)
          expect(seen.summary).toContain(totals.requestText.replace(/\D+$/, ''))
        },
      ),
    )
  })
})
