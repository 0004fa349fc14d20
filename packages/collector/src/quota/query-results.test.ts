import { aQuotaSample, fromNow } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { ProbeResult } from '../providers/contract/provider.ts'
import { createQueryTally } from './query-results.ts'

const sample: ProbeResult = { kind: 'sample', sample: aQuotaSample() }
const refused: ProbeResult = { kind: 'auth', httpStatus: 401 }
const broken: ProbeResult = { kind: 'failed', code: 'timeout', httpStatus: null }

function tallyOf(...results: readonly ProbeResult[]) {
  const tally = createQueryTally()
  for (const [index, result] of results.entries()) tally.count(result, fromNow(index))
  return tally.reading()
}
const times = (count: number, result: ProbeResult) => Array.from({ length: count }, () => result)

describe('direct quota as a source', () => {
  it('is pending before the first query', () => {
    expect(tallyOf()).toEqual({ outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null })
  })

  it('is good when a login is refused, for the query got through', () => {
    expect(tallyOf(refused)).toMatchObject({
      outcome: { kind: 'ok', at: fromNow(0) },
      failuresInARow: 0,
      lastGood: { value: { succeeded: 0, failed: 1, recentFailed: 0, recentCount: 1 } },
    })
  })

  it.each<readonly [code: string, result: ProbeResult]>([
    ['timeout', broken],
    ['blocked_by_vendor', { kind: 'blocked', httpStatus: 403 } as ProbeResult],
    ['throttled', { kind: 'throttled', httpStatus: 429, retryAfterSeconds: 7 } as ProbeResult],
  ])('has failed as $0 when no query got through', (code, result) => {
    expect(tallyOf(result, result)).toEqual({
      outcome: { kind: 'failed', code, at: fromNow(1) },
      failuresInARow: 2,
      lastGood: null,
    })
  })

  it('stays good while one of the newest twenty queries got through', () => {
    expect(tallyOf(sample, ...times(19, broken))).toMatchObject({
      outcome: { kind: 'ok', at: fromNow(0) },
      failuresInARow: 19,
      lastGood: { value: { succeeded: 1, failed: 19, recentFailed: 19, recentCount: 20 } },
    })
    expect(tallyOf(sample, ...times(20, broken))).toMatchObject({
      outcome: { kind: 'failed', code: 'timeout' },
      lastGood: { at: fromNow(0), value: { recentFailed: 20, recentCount: 20 } },
    })
  })

  it('is good again with the first query that gets through', () => {
    expect(tallyOf(...times(30, broken), sample)).toMatchObject({
      outcome: { kind: 'ok', at: fromNow(30) },
      failuresInARow: 0,
      lastGood: { value: { succeeded: 1, failed: 30, recentFailed: 19, recentCount: 20 } },
    })
  })
})
