import { fromNow } from '@svc/core/testing'
import type { UsageGap, UsageTally } from '@svc/core/usage'
import { expect, it } from 'vitest'
import type { Count } from '../metrics/event-counters.ts'
import { countGap, countUsage } from './usage-counts.ts'

function counted() {
  const counts: Count[] = []
  return { counts, report: { count: (count: Count) => void counts.push(count) } }
}

it.each([
  { what: 'counts in seconds', from: 10, to: 12.5, seconds: 2.5 },
  { what: 'of no time counts nothing', from: 10, to: 10, seconds: 0 },
  { what: 'whose clock went back counts nothing', from: 12.5, to: 10, seconds: 0 },
])('a gap $what', ({ from, to, seconds }) => {
  const { counts, report } = counted()
  countGap(report, { from: fromNow(from), to: fromNow(to) } as UsageGap)

  expect(counts).toEqual([{ counter: 'usage_gap_seconds_total', by: seconds }])
})

it('records count by what became of them', () => {
  const { counts, report } = counted()
  countUsage(report, { stored: 3, duplicate: 1, quarantined: 4, expired: 2 } as UsageTally)

  expect(counts.map(({ counter, by }) => [counter, by])).toEqual([
    ['usage_rows_ingested_total', 3],
    ['usage_rows_duplicate_total', 1],
    ['usage_rows_quarantined_total', 4],
    ['usage_rows_expired_total', 2],
  ])
})
