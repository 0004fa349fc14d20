import { describe, expect, it } from 'vitest'
import { epochMs, plusMs } from '../facts/time.ts'
import {
  PERCENTILE_REQUESTS_MAX,
  type PercentileQuery,
  percentileOf,
  percentilesOf,
  timeAskedBy,
} from './usage-percentiles.ts'
import { usageSpanOf } from './usage-span.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const span = usageSpanOf('1h', NOW, null)
const query = (changes: Partial<PercentileQuery> = {}): PercentileQuery => ({
  metric: 'latency_p95',
  span,
  requests: 1,
  scanned: 1,
  rowsSince: null,
  memberIds: ['ann'],
  ...changes,
})
const timed = (memberId: string, secondsAgo: number, milliseconds: number) => ({
  at: plusMs(NOW, -secondsAgo * 1000),
  memberId,
  milliseconds,
})

describe('a percentile', () => {
  it.each([
    { values: [], percent: 95, is: null },
    { values: [7], percent: 50, is: 7 },
    { values: [7], percent: 95, is: 7 },
    { values: [1, 2], percent: 50, is: 1 },
    { values: [1, 2, 3], percent: 50, is: 2 },
    { values: [1, 2, 3, 4], percent: 50, is: 2 },
    { values: Array.from({ length: 20 }, (_, index) => index + 1), percent: 95, is: 19 },
    { values: Array.from({ length: 21 }, (_, index) => index + 1), percent: 95, is: 20 },
    { values: Array.from({ length: 100 }, (_, index) => index + 1), percent: 95, is: 95 },
  ])('$percent of $values is $is', ({ values, percent, is }) => {
    expect(percentileOf(values, percent)).toBe(is)
  })
})

describe('percentiles of a chart', () => {
  const requests = [timed('ann', 10, 300), timed('bob', 10, 900), timed('ann', 70, 100)]

  it('are those of all requests of a line, and of each of its buckets', () => {
    const found = percentilesOf(query(), requests)

    expect(found).toMatchObject({ kind: 'offered', total: { whole: 900 }, other: 900 })
    if (found?.kind !== 'offered') throw new Error('not offered')
    expect(found.total.buckets.slice(-3)).toEqual([null, 100, 900])
    expect(found.byMember.get('ann')).toMatchObject({ whole: 300 })
    expect(found.byMember.get('ann')?.buckets.slice(-2)).toEqual([100, 300])
    expect(found.byMember.get('bob')).toBeUndefined()
  })

  it('are nothing for another metric', () => {
    expect(percentilesOf(query({ metric: 'cached' }), requests)).toBeNull()
    expect(timeAskedBy(query({ metric: 'cached' }))).toBeNull()
  })

  it.each([
    ['all rows are kept', {}, null],
    ['the first rows are those of the range', { rowsSince: span.start }, null],
    [
      'the first row of the range may be deleted',
      { rowsSince: plusMs(span.start, 1) },
      'rows_deleted',
    ],
    ['so many are read', { requests: PERCENTILE_REQUESTS_MAX }, null],
    ['more would have to be read', { requests: PERCENTILE_REQUESTS_MAX + 1 }, 'too_many_requests'],
  ])('are refused for $2 where $0', (_, changes, reason) => {
    const asked = query({ metric: 'first_token_p50', ...changes })

    expect(timeAskedBy(asked)).toBe(reason === null ? 'firstTokenMs' : null)
    expect(percentilesOf(asked, requests)).toMatchObject(
      reason === null ? { kind: 'offered' } : { kind: 'not_offered', reason },
    )
  })
})
