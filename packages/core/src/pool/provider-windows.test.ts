import { expect, it } from 'vitest'
import type { QuotaSample, WindowReading } from '../facts/reading.ts'
import { answerOf } from '../health/answer.ts'
import { anAccount, aSnapshot, evidenceOf, fromNow, NOW } from '../testing/builders.ts'
import { capacitiesOf, sharedWindowsOf } from './provider-pool.ts'
import { noTrends } from './runway.ts'

const aSample = (windows: readonly WindowReading[]): QuotaSample => ({
  origin: 'direct',
  sampledAt: NOW,
  plan: null,
  windows,
  unreadableWindowCount: 0,
  limitReached: false,
  spendReached: null,
  ...(windows.length === 0 && { reportsNone: true }),
})
const reading = (id: string, percent: number): WindowReading => ({
  id,
  periodSeconds: null,
  percent,
  resetAt: fromNow(86_400),
})
const poolOf = (provider: string, ...samples: readonly (QuotaSample | null)[]) =>
  aSnapshot(
    samples.map((sample, index) => [
      anAccount(`a${index}`, { provider }),
      sample === null ? null : evidenceOf([sample]),
    ]),
  )
const unitsOf = (pool: ReturnType<typeof poolOf>) =>
  capacitiesOf(pool).map(({ windowId, knownUnits, trackedUnits, unknownUnits }) => [
    windowId,
    knownUnits,
    trackedUnits,
    unknownUnits,
  ])

it('an account without a window of the pool counts in it by the one it has', () => {
  const pool = poolOf('xai', aSample([reading('week', 50)]), aSample([reading('month', 20)]))

  expect(unitsOf(pool)).toEqual([
    ['week', 0.7, 2, 0],
    ['month', 0.7, 2, 0],
  ])
})

it.each([
  ['no account has two', [['week'], ['month']], [['month', 'week']]],
  ['a third one is never read', [['week'], ['month'], []], [['month', 'week']]],
  ['one account has both', [['week'], ['week', 'month']], []],
  [
    'each account has two',
    [
      ['5h', 'week'],
      ['5h', 'month'],
    ],
    [['month', 'week']],
  ],
])('windows are one quantity where %s', (_, accounts, groups) => {
  const pool = poolOf(
    'xai',
    ...accounts.map((ids) =>
      ids.length === 0 ? null : aSample(ids.map((id, index) => reading(id, 20 + 10 * index))),
    ),
  )

  const shared = new Set([...sharedWindowsOf(pool).values()].map((ids) => ids.toSorted().join()))
  expect([...shared]).toEqual(groups.map((ids) => ids.join()))
  for (const [id, [first = '']] of sharedWindowsOf(pool)) {
    const figures = (one: string) => capacitiesOf(pool).find(({ windowId }) => windowId === one)
    expect(figures(id)?.knownUnits).toBe(figures(first)?.knownUnits)
  }
})

it('an account that was not read yet is unknown in every window', () => {
  const pool = poolOf('xai', aSample([reading('month', 20)]), null)

  expect(unitsOf(pool).map(([id, , , unknown]) => [id, unknown])).toContainEqual(['month', 1])
})

it('a pool whose vendor reports no limits of accounts has no windows, nothing unknown, and can work', () => {
  const pool = poolOf('antigravity', aSample([]), aSample([reading('gemini:week', 0)]))

  expect(unitsOf(pool)).toEqual([])
  expect(pool.capacity['5h']).toMatchObject({ trackedUnits: 0, unknownUnits: 0 })
  expect(pool.resetColumns.map(({ rows }) => rows)).toEqual([[], []])
  expect(answerOf(pool, noTrends).code).toBe('go')
})

it('the same is unknown of a pool that was not read yet', () => {
  const pool = poolOf('antigravity', null)

  expect(pool.capacity['5h'].unknownUnits).toBe(1)
  expect(answerOf(pool, noTrends).code).toBe('not_ready')
})
