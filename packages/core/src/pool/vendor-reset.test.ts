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
  it.each<{ why: string; pool: readonly Reads[]; count: number }>([
    {
      why: 'two accounts of six',
      pool: six((i) => (i < 2 ? refilled(5, 10) : untouched(5, 10))),
      count: 0,
    },
    {
      why: 'three of six',
      pool: six((i) => (i < 3 ? refilled(5, 10) : untouched(5, 10))),
      count: 1,
    },
    {
      why: 'three of five',
      pool: many(5, (i) => (i < 3 ? refilled(5, 10) : untouched(5, 10))),
      count: 0,
    },
    { why: 'all of five', pool: many(5, () => refilled(5, 10)), count: 1 },
    { why: 'both of two', pool: many(2, () => refilled(5, 10)), count: 1 },
    { why: 'six that were read only once since', pool: six(() => refilled(5)), count: 0 },
    {
      why: 'three that show it 10 min apart',
      pool: six((i) => refilled(4 + 5 * i, 9 + 5 * i)),
      count: 1,
    },
    {
      why: 'three that show it 12 min apart',
      pool: six((i) => (i < 3 ? refilled(3 + 6 * i, 8 + 6 * i) : untouched(5))),
      count: 0,
    },
    {
      why: 'readings that were refilled by one answer and not by the next',
      pool: six(() => [...refilled(5), { at: 10, percent: 40, resets: 1_440 }]),
      count: 0,
    },
    {
      why: 'accounts that nobody had read for 15 min',
      pool: six(() => refilled(15, 20)),
      count: 1,
    },
    {
      why: 'accounts that nobody had read for longer, as over a restart',
      pool: six(() => refilled(16, 21)),
      count: 0,
    },
    {
      why: 'a refill that keeps its reset',
      pool: six(() => [
        { at: 0, percent: 40, resets: 1_440 },
        { at: 5, percent: 60, resets: 1_440 },
        { at: 10, percent: 60, resets: 1_440 },
      ]),
      count: 1,
    },
    {
      why: '19 points, which are a correction',
      pool: six(() => [
        { at: 0, percent: 40, resets: 1_440 },
        { at: 5, percent: 59, resets: 1_440 },
        { at: 10, percent: 59, resets: 1_440 },
      ]),
      count: 0,
    },
    {
      why: 'a reset that moves although little was missing',
      pool: six(() => [
        { at: 0, percent: 95, resets: 1_440 },
        { at: 5, percent: 100, resets: 5 + WEEK },
        { at: 10, percent: 100, resets: 10 + WEEK },
      ]),
      count: 1,
    },
    {
      why: 'a reset that is read a little off',
      pool: six(() => [
        { at: 0, percent: 95, resets: 1_440 },
        { at: 5, percent: 95, resets: 1_444 },
        { at: 10, percent: 95, resets: 1_444 },
      ]),
      count: 0,
    },
    {
      why: 'the own resets of all, and what is read just before them',
      pool: six(() => [
        { at: 0, percent: 40, resets: 9 },
        { at: 5, percent: 100, resets: 5 + WEEK },
        { at: 10, percent: 99, resets: 9 + WEEK },
      ]),
      count: 0,
    },
    {
      why: 'windows that begin with a first use after they were idle',
      pool: six(() => [
        { at: 0, percent: 100, resets: WEEK },
        { at: 5, percent: 99, resets: 5 + WEEK },
        { at: 10, percent: 98, resets: 5 + WEEK },
      ]),
      count: 0,
    },
    {
      why: 'windows without a reset, of which nobody knows when their own was due',
      pool: six(() => [
        { at: 0, percent: 40, resets: null },
        { at: 5, percent: 100, resets: WEEK },
        { at: 10, percent: 100, resets: WEEK },
      ]),
      count: 0,
    },
    {
      why: 'other plans',
      pool: six(() =>
        refilled(5, 10).map((read) => ({
          ...read,
          changes: { claimedPlan: read.at === 0 ? 'plus' : 'pro' },
        })),
      ),
      count: 0,
    },
    {
      why: 'other logins in files that tell nobody whose they are',
      pool: six(() =>
        refilled(5, 10).map((read) => ({
          ...read,
          changes: { modifiedAt: fromNow(read.at === 0 ? 0 : 200) },
        })),
      ),
      count: 0,
    },
    {
      why: 'new tokens in files that tell whose they are',
      pool: six((i) =>
        refilled(5, 10).map((read) => ({
          ...read,
          changes: { email: `${i}@example.com`, modifiedAt: fromNow(read.at === 0 ? 0 : 200) },
        })),
      ),
      count: 1,
    },
    {
      why: 'errors that said used up, and did not last',
      pool: six(() => [
        { at: 0, percent: 0, resets: 1_440, origin: 'error-body' },
        { at: 5, percent: 60, resets: 1_440 },
        { at: 10, percent: 60, resets: 1_440 },
      ]),
      count: 0,
    },
    {
      why: 'readings of response headers',
      pool: six(() => refilled(5, 10).map((read) => ({ ...read, origin: 'headers' }))),
      count: 1,
    },
  ])('of $why: $count', ({ pool, count }) => {
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
