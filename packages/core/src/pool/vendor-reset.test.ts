import { describe, expect, it } from 'vitest'
import { defaultPolicy, evaluateSnapshot } from '../evaluate.ts'
import type { Account } from '../facts/account.ts'
import type { ReadingOrigin } from '../facts/reading.ts'
import { plusMs } from '../facts/time.ts'
import { WEEK_SECONDS } from '../facts/window.ts'
import type { Snapshot } from '../health/snapshot.ts'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  evidenceOf,
  fromNow,
} from '../testing/builders.ts'

/** What is read of one account's week; `at` and `resets` in minutes. */
interface Read {
  readonly at: number
  readonly percent: number
  readonly resets: number | null
  readonly origin?: ReadingOrigin
  readonly changes?: Partial<Account>
}
type Reads = readonly Read[]

const WEEK = WEEK_SECONDS / 60
/** Read at 0 with 40 % left, then at these minutes after a refill at minute 3; its own reset was a day away. */
const refilled = (...minutes: readonly number[]): Reads => [
  { at: 0, percent: 40, resets: 1_440 },
  ...minutes.map((at) => ({ at, percent: 99, resets: 3 + WEEK })),
]
/** Read at these minutes, and never refilled. */
const untouched = (...minutes: readonly number[]): Reads => [
  { at: 0, percent: 40, resets: 1_440 },
  ...minutes.map((at) => ({ at, percent: 39, resets: 1_440 })),
]

/** The pool evaluated every minute, each account as it was last read by then. `files`: those of each account. */
function followed(pool: readonly Reads[], files = ['a.json']) {
  let previous: Snapshot | null = null
  for (let minute = 0; minute <= 40; minute += 1) {
    const entries = files.flatMap((file) =>
      pool.map((reads, index) => {
        const { at, percent, resets, origin, changes } = reads.findLast((one) => one.at <= minute)!
        const sample = aQuotaSample(
          {
            fiveHour: null,
            week: percent,
            weekResetsInSeconds: resets === null ? null : 60 * resets,
          },
          { sampledAt: fromNow(60 * at), origin: origin ?? 'direct' },
        )
        const selector = { authName: `${index}-${file}`, authIndex: '', accountKey: `${index}` }
        return [anAccount(`${index}`, { selector, ...changes }), evidenceOf([sample])] as const
      }),
    )
    previous = evaluateSnapshot(
      aLiveObservation(entries),
      defaultPolicy,
      plusMs(fromNow(0), 60_000 * minute),
      { previous, recordedChanges: [] },
    )
  }
  return (previous?.recentChanges ?? []).flatMap(({ at, tone, detail }) =>
    detail.code === 'vendor_reset' ? [{ minute: (at - fromNow(0)) / 60_000, tone, detail }] : [],
  )
}
const many = (count: number, reads: (index: number) => Reads) =>
  Array.from({ length: count }, (_, index) => reads(index))

describe('a reset by the vendor', () => {
  it('is told once, when a third account has shown it twice, with all that show it by then', () => {
    const pool = [
      refilled(4, 9, 14),
      refilled(5, 10, 15),
      refilled(6, 11, 16),
      refilled(7, 12),
      refilled(12, 17, 22),
      untouched(5, 10),
    ]

    expect(followed(pool)).toEqual([
      {
        minute: 11,
        tone: 'good',
        detail: {
          code: 'vendor_reset',
          provider: 'codex',
          windowId: 'week',
          accountCount: 4,
          units: expect.closeTo(4 * 0.59, 6),
          seenAt: fromNow(240),
        },
      },
    ])
  })

  const six = (reads: (index: number) => Reads) => many(6, reads)
  /** Six accounts with these percents and resets at 0, 5 and 10 min. */
  const thrice = (...reads: readonly (readonly [percent: number, resets: number | null])[]) =>
    six(() => reads.map(([percent, resets], index) => ({ at: 5 * index, percent, resets })))
  it.each<readonly [why: string, pool: readonly Reads[], count: number]>([
    ['two accounts of six', six((i) => (i < 2 ? refilled(5, 10) : untouched(5, 10))), 0],
    ['three of six', six((i) => (i < 3 ? refilled(5, 10) : untouched(5, 10))), 1],
    ['three of five', many(5, (i) => (i < 3 ? refilled(5, 10) : untouched(5, 10))), 0],
    ['all of five', many(5, () => refilled(5, 10)), 1],
    ['both of two', many(2, () => refilled(5, 10)), 1],
    ['six that were read only once since', six(() => refilled(5)), 0],
    ['three that show it 10 min apart', six((i) => refilled(4 + 5 * i, 9 + 5 * i)), 1],
    [
      'three that show it 12 min apart',
      six((i) => (i < 3 ? refilled(3 + 6 * i, 8 + 6 * i) : untouched(5))),
      0,
    ],
    [
      'readings that were refilled by one answer and not by the next',
      six(() => [...refilled(5), { at: 10, percent: 40, resets: 1_440 }]),
      0,
    ],
    ['accounts that nobody had read for 15 min', six(() => refilled(15, 20)), 1],
    ['accounts that nobody had read for longer, as over a restart', six(() => refilled(16, 21)), 0],
    ['a refill that keeps its reset', thrice([40, 1_440], [60, 1_440], [60, 1_440]), 1],
    ['19 points, which are a correction', thrice([40, 1_440], [59, 1_440], [59, 1_440]), 0],
    [
      'a reset that moves although little was missing',
      thrice([95, 1_440], [100, 5 + WEEK], [100, 10 + WEEK]),
      1,
    ],
    ['a reset that is read a little off', thrice([95, 1_440], [95, 1_444], [95, 1_444]), 0],
    [
      'the own resets of all, and what is read just before them',
      thrice([40, 9], [100, 5 + WEEK], [99, 9 + WEEK]),
      0,
    ],
    [
      'windows that begin with a first use after they were idle',
      thrice([100, WEEK], [99, 5 + WEEK], [98, 5 + WEEK]),
      0,
    ],
    [
      'windows without a reset, of which nobody knows when their own was due',
      thrice([40, null], [100, WEEK], [100, WEEK]),
      0,
    ],
    [
      'other plans',
      six(() =>
        refilled(5, 10).map((read) => ({
          ...read,
          changes: { claimedPlan: read.at === 0 ? 'plus' : 'pro' },
        })),
      ),
      0,
    ],
    [
      'other logins in files that tell nobody whose they are',
      six(() =>
        refilled(5, 10).map((read) => ({
          ...read,
          changes: { modifiedAt: fromNow(read.at === 0 ? 0 : 200) },
        })),
      ),
      0,
    ],
    [
      'new tokens in files that tell whose they are',
      six((i) =>
        refilled(5, 10).map((read) => ({
          ...read,
          changes: { email: `${i}@example.com`, modifiedAt: fromNow(read.at === 0 ? 0 : 200) },
        })),
      ),
      1,
    ],
    [
      'errors that said used up, and did not last',
      six(() => [
        { at: 0, percent: 0, resets: 1_440, origin: 'error-body' },
        { at: 5, percent: 60, resets: 1_440 },
        { at: 10, percent: 60, resets: 1_440 },
      ]),
      0,
    ],
    [
      'readings of response headers',
      six(() => refilled(5, 10).map((read) => ({ ...read, origin: 'headers' }))),
      1,
    ],
  ])('of $0: $2', (_, pool, count) => {
    expect(followed(pool)).toHaveLength(count)
  })

  it('is told again when the vendor resets again', () => {
    const twice = many(
      6,
      (): Reads => [
        ...refilled(5, 10, 15),
        { at: 30, percent: 70, resets: 3 + WEEK },
        { at: 32, percent: 70, resets: 3 + WEEK },
        { at: 36, percent: 100, resets: 34 + WEEK },
        { at: 40, percent: 100, resets: 34 + WEEK },
      ],
    )

    expect(followed(twice).map(({ minute }) => minute)).toEqual([40, 10])
  })

  it('counts an account with two files once', () => {
    const pool = six((i) => (i < 2 ? refilled(5, 10) : untouched(5, 10)))

    expect(followed(pool, ['a.json', 'b.json'])).toEqual([])
  })
})
