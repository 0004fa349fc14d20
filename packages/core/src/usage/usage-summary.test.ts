import { expect, it } from 'vitest'
import { epochMs, plusMs } from '../facts/time.ts'
import { aUsageRecord } from '../testing/builders.ts'
import type { UsageRecord } from './usage.ts'
import { seriesOf } from './usage-series.ts'
import { coveragePercentOf, recentUsageOf } from './usage-summary.ts'

const NOW = epochMs(1_800_000_000_000)
const ann = { id: 'ann', label: 'Ann' }
const record = (secondsAgo: number, changes: Partial<UsageRecord> = {}) =>
  aUsageRecord(plusMs(NOW, -secondsAgo * 1000), {
    account: ann,
    model: 'm',
    tokens: 10,
    ...changes,
  })

it('recent usage counts the live window and the last day, edges included, and nothing from the future', () => {
  const bob = { id: 'bob', label: 'Bob' }
  const recent = recentUsageOf(
    [
      record(900, { failed: 1 }),
      record(1, { account: bob }),
      record(901),
      record(86_400),
      record(86_401),
      record(0),
      record(-5),
    ],
    NOW,
  )

  expect(recent).toMatchObject({
    live: {
      requests: 2,
      tokens: 20,
      failed: 1,
      lastEventAt: NOW - 1000,
      accounts: [
        { id: 'ann', label: 'Ann', requests: 1, tokens: 10, failed: 1 },
        { id: 'bob', label: 'Bob', requests: 1, tokens: 10, failed: 0 },
      ],
      activeClients: 1,
    },
    lastDay: {
      requests: 4,
      tokens: 40,
      failed: 1,
      accounts: [
        { id: 'ann', label: 'Ann', requests: 3, tokens: 30, failed: 1 },
        { id: 'bob', label: 'Bob', requests: 1, tokens: 10, failed: 0 },
      ],
      models: [{ id: 'm', label: 'm', requests: 4, tokens: 40, failed: 1 }],
    },
  })
})

it('the last day is the span of a chart of 24 h, at any moment', () => {
  // Three quarters of an hour in steps on both sides of a bucket's edge.
  for (let second = 0; second <= 2_700; second += 450) {
    const now = plusMs(NOW, second * 1000)
    const records = Array.from({ length: 200 }, (_, index) =>
      record(index * 450 - 10, { tokens: index }),
    )
    const query = { range: '24h', group: 'total', metric: 'tokens', top: 1 } as const
    const { requests, tokens, failed } = recentUsageOf(records, now).lastDay

    expect({ second, ...seriesOf(records, query, { now, earliest: null }).totals }).toMatchObject({
      second,
      requests,
      tokens,
      failed,
    })
  }
})

it('recent usage of nothing says so', () => {
  expect(recentUsageOf([], NOW).live).toMatchObject({
    requests: 0,
    lastEventAt: null,
    accounts: [],
  })
})

it.each([
  [0, 0, null],
  [1000, 0, 100],
  [1000, 250, 75],
  [1000, 2000, 0],
])('coverage of %i s with %i s missed is %s', (observedSeconds, gapSeconds, percent) => {
  expect(coveragePercentOf({ observedSeconds, gapSeconds })).toBe(percent)
})
