import { defaultPolicy, type EpochMs, type Observation } from '@svc/core'
import { noTrends, type RememberedPool, type Trends } from '@svc/core/pool'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  evidenceOf,
  fromNow,
  NOW,
} from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { RecordedPast } from '../store/history.ts'
import { createEvaluator } from './monitor.ts'

const left = (week: number, resetsInSeconds = 9_000) =>
  evidenceOf([aQuotaSample({ week, weekResetsInSeconds: resetsInSeconds })])
const observed = (week: number, changes: Partial<Observation> = {}) =>
  aLiveObservation([[anAccount('a'), left(week)]], { accountRefreshSeconds: 600, ...changes })
const remembered = (week: number): RememberedPool => ({
  listedAt: fromNow(-3_600),
  source: 'live',
  gatewayUp: true,
  accounts: [{ account: anAccount('a'), evidence: left(week) }],
})
const NOTHING: RecordedPast = { changes: [], remembered: null }

/** An evaluator whose evaluations get these observations and records in turn. */
function evaluatorOf(
  observations: readonly Observation[],
  records: readonly (RecordedPast | null)[] = [],
  trends: Trends = noTrends,
) {
  let [observation, record] = [0, 0]
  const last = <Value>(values: readonly Value[], index: number) =>
    values[Math.min(index, values.length - 1)]
  return createEvaluator({
    observe: () => last(observations, observation++) ?? observed(50),
    policy: defaultPolicy,
    takeRecorded: () => (record < records.length ? (records[record++] ?? null) : NOTHING),
    trends: () => new Map([['codex', trends]]),
  })
}
const codesAt = (evaluator: ReturnType<typeof evaluatorOf>, now: EpochMs) =>
  evaluator.evaluate(now).snapshot.recentChanges.map(({ detail }) => detail.code)

describe('changes', () => {
  it('are found by comparing with the evaluation before', () => {
    const evaluator = evaluatorOf([observed(50), observed(0)])

    expect(codesAt(evaluator, NOW)).toEqual([])
    expect(codesAt(evaluator, fromNow(15))).toEqual(['status_changed', 'window_exhausted'])
  })

  it.each([
    { why: 'the same', week: 50, codes: [] },
    { why: 'another', week: 0, codes: ['status_changed', 'window_reset'] },
  ])('are found by what an earlier process left, which is $why', ({ week, codes }) => {
    const past = { changes: [], remembered: remembered(week) }
    const evaluator = evaluatorOf([observed(50)], [past])

    expect(codesAt(evaluator, NOW)).toEqual(codes)
    expect(codesAt(evaluator, fromNow(15))).toEqual(codes)
  })

  it('are not looked for while the store is opened, and then found by what it holds', () => {
    const past = { changes: [], remembered: remembered(0) }
    const evaluator = evaluatorOf([observed(50)], [null, past])

    expect(codesAt(evaluator, NOW)).toEqual([])
    expect(codesAt(evaluator, fromNow(1))).toEqual(['status_changed', 'window_reset'])
  })

  it('that an earlier process recorded come after those that are new', () => {
    const started = {
      at: fromNow(-60),
      tone: 'good',
      detail: { code: 'history_started' },
    } as const
    const past = { changes: [started], remembered: null }
    const evaluator = evaluatorOf([observed(50), observed(0)], [past])

    expect(codesAt(evaluator, NOW)).toEqual(['history_started'])
    expect(codesAt(evaluator, fromNow(15))).toEqual([
      'status_changed',
      'window_exhausted',
      'history_started',
    ])
  })
})

it('a pool that was forecast to run dry needs an operator after a minute', () => {
  const runway = {
    ...noTrends['5h'].runway,
    verdict: 'runs-dry',
    confidence: 'high',
    runsDryAt: fromNow(3_600),
    p75: fromNow(7_200),
  } as const
  const trends = { ...noTrends, '5h': { past: [], runway } }
  const evaluator = evaluatorOf([observed(50)], [], trends)
  const actionsAt = (seconds: number) =>
    evaluator.evaluate(fromNow(seconds)).snapshot.health.actions.map(({ id }) => id)

  expect([actionsAt(0), actionsAt(59), actionsAt(60)]).toEqual([[], [], ['runway_short:5h']])
})

describe('whether an account has got quota back since', () => {
  it('is assumed before the first evaluation', () => {
    expect(evaluatorOf([observed(50)]).isResetSince(NOW)).toBe(true)
  })

  it.each([
    { seconds: 9_000, isReset: true },
    { seconds: 8_999, isReset: false },
  ])('follows from the resets that were known: after $seconds s', ({ seconds, isReset }) => {
    const evaluator = evaluatorOf([observed(50)])
    evaluator.evaluate(NOW)

    expect(evaluator.isResetSince(fromNow(seconds))).toBe(isReset)
  })
})
