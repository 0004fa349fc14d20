import { describe, expect, it } from 'vitest'
import { fromNow, NOW } from '../testing/builders.ts'
import {
  certainTimeOf,
  clockDoubtOf,
  falseAfterOf,
  forgettingTimeOf,
  isSeconded,
  latestTimeOf,
  SETTLED_AFTER_MS,
  type TimeWitnesses,
  usageTimeOf,
  vouchedTimeOf,
} from './trusted-time.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const silent: TimeWitnesses = {
  wall: NOW,
  proxy: null,
  record: null,
  steady: null,
  recordsWeighed: false,
}

describe('our clock', () => {
  it.each<
    readonly [why: string, said: Partial<TimeWitnesses>, doubt: ReturnType<typeof clockDoubtOf>]
  >([
    ['alone is believed', {}, null],
    ['a day from the proxy is believed', { proxy: fromNow(DAY) }, null],
    [
      'behind the proxy by more is not',
      { proxy: fromNow(DAY + 1) },
      { reason: 'proxy', aheadSeconds: -DAY - 1 },
    ],
    [
      'ahead of the proxy by more is not',
      { proxy: fromNow(-400 * DAY) },
      { reason: 'proxy', aheadSeconds: 400 * DAY },
    ],
    [
      'that has jumped ahead is not',
      { steady: fromNow(-DAY - 1) },
      { reason: 'jump', aheadSeconds: DAY + 1 },
    ],
    [
      'that has jumped back is not',
      { steady: fromNow(DAY + 1) },
      { reason: 'jump', aheadSeconds: -DAY - 1 },
    ],
    [
      'that has jumped along with the proxy is not',
      { steady: fromNow(-2 * DAY), proxy: NOW },
      { reason: 'jump', aheadSeconds: 2 * DAY },
    ],
    [
      'that runs evenly is, whatever the records say',
      { steady: NOW, record: fromNow(-400 * DAY), recordsWeighed: true },
      null,
    ],
    [
      'that agreed with the proxy before the records were heard is compared with them all the same',
      { steady: NOW, proxy: NOW, record: fromNow(200 * DAY) },
      { reason: 'records', aheadSeconds: -200 * DAY },
    ],
    ['at a start weeks after the newest record is believed', { record: fromNow(-30 * DAY) }, null],
    [
      'at a start long after it is not',
      { record: fromNow(-31 * DAY) },
      { reason: 'records', aheadSeconds: 31 * DAY },
    ],
    [
      'at a start before it is not',
      { record: fromNow(DAY + 1) },
      { reason: 'records', aheadSeconds: -DAY - 1 },
    ],
  ])('%s', (_, said, doubt) => {
    expect(clockDoubtOf({ ...silent, ...said }, 0)).toEqual(doubt)
  })

  it('that runs evenly for a while is believed again, unless the proxy still disagrees', () => {
    const jumped = { ...silent, steady: fromNow(-2 * DAY) }
    expect(clockDoubtOf(jumped, SETTLED_AFTER_MS - 1)).not.toBeNull()
    expect(clockDoubtOf(jumped, SETTLED_AFTER_MS)).toBeNull()
    expect(clockDoubtOf({ ...jumped, proxy: fromNow(-2 * DAY) }, SETTLED_AFTER_MS)).toMatchObject({
      reason: 'proxy',
    })
    const behind = { ...silent, record: fromNow(2 * DAY) }
    expect(clockDoubtOf(behind, SETTLED_AFTER_MS)).toMatchObject({ reason: 'records' })
    expect(clockDoubtOf({ ...behind, proxy: NOW }, SETTLED_AFTER_MS)).toBeNull()
  })
})

describe('the time', () => {
  it.each<readonly [why: string, said: Partial<TimeWitnesses>, vouched: number | null]>([
    ['is vouched for by nobody when one speaks', {}, null],
    ['is the earlier of two', { proxy: fromNow(-5) }, fromNow(-5)],
    ['is the earlier of two, when ours is behind', { proxy: fromNow(5) }, NOW],
    ['is the middle of three', { proxy: fromNow(-5), record: fromNow(-400 * DAY) }, fromNow(-5)],
    [
      'is not moved by our clock alone',
      { proxy: fromNow(-400 * DAY), record: fromNow(-400 * DAY - 60) },
      fromNow(-400 * DAY),
    ],
  ])('%s', (_, said, vouched) => {
    expect(vouchedTimeOf({ ...silent, ...said })).toBe(vouched)
  })

  it('has certainly passed where every source has reached it, and two do while nothing is in doubt', () => {
    const said = { ...silent, proxy: fromNow(-DAY), record: fromNow(-2 * DAY) }
    expect(certainTimeOf(said, null)).toBe(fromNow(-DAY))
    expect(certainTimeOf(said, { reason: 'proxy', aheadSeconds: DAY })).toBe(fromNow(-2 * DAY))
    expect(certainTimeOf(silent, null), 'one alone is not certain').toBe(0)
    expect(latestTimeOf(said)).toBe(NOW)
  })

  it('shows what is false by the latest of all sources at first, and by two of them once our clock has run evenly', () => {
    const said = { ...silent, proxy: fromNow(-DAY), record: fromNow(DAY) }
    expect(falseAfterOf(said, null, SETTLED_AFTER_MS - 1)).toBe(fromNow(DAY))
    expect(falseAfterOf(said, null, SETTLED_AFTER_MS)).toBe(NOW)
    expect(falseAfterOf(said, { reason: 'jump', aheadSeconds: DAY }, SETTLED_AFTER_MS)).toBeNull()
    expect(falseAfterOf(silent, null, SETTLED_AFTER_MS), 'one alone tells nothing').toBeNull()
  })
})

it.for<
  readonly [
    name: string,
    said: Partial<TimeWitnesses>,
    expected: number,
    doubt?: ReturnType<typeof clockDoubtOf>,
  ]
>([
  ['ours, where the proxy does not tell the time', {}, NOW],
  ['ours, where the proxy shows the same', { proxy: fromNow(-9) }, NOW],
  [
    'that of a proxy that is ahead, up to the end of its second',
    { proxy: fromNow(20 * 60) },
    fromNow(20 * 60 + 1),
  ],
  [
    'that of a proxy that is behind, up to the end of its second',
    { proxy: fromNow(-HOUR) },
    fromNow(-HOUR + 1),
  ],
  ['ours, in doubt', { proxy: fromNow(-2 * DAY) }, NOW, { reason: 'proxy', aheadSeconds: 2 * DAY }],
])('the clock that dates usage is $0', ([, said, expected, doubt = null]) => {
  expect(usageTimeOf({ ...silent, ...said }, doubt)).toBe(expected)
})

it('our clock is seconded by the proxy, and by the records where the proxy does not tell the time', () => {
  expect(isSeconded(silent)).toBe(false)
  expect(isSeconded({ ...silent, record: fromNow(-DAY) })).toBe(true)
  expect(isSeconded({ ...silent, record: fromNow(-DAY), proxy: fromNow(DAY + 1) })).toBe(false)
  expect(isSeconded({ ...silent, record: fromNow(-9 * DAY), proxy: fromNow(-DAY) })).toBe(true)
})

const MINUTE_MS = 60_000

describe('what may be forgotten', () => {
  it.each([
    {
      name: 'nothing while nobody vouches for the time',
      vouched: null,
      last: { at: NOW, elapsedMs: 0, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: SETTLED_AFTER_MS,
      expected: null,
    },
    {
      name: 'nothing by an empty store, however evenly the clock has run',
      vouched: NOW,
      last: null,
      evenForMs: SETTLED_AFTER_MS,
      expected: null,
    },
    {
      name: 'what has become old meanwhile',
      vouched: fromNow(60),
      last: { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: 0,
      expected: fromNow(60),
    },
    {
      name: 'a day more than the time that has passed',
      vouched: fromNow(DAY + 60),
      last: { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: 0,
      expected: fromNow(DAY + 60),
    },
    {
      name: 'a day of it, when the clock has run evenly for a while',
      vouched: fromNow(400 * DAY),
      last: { at: NOW, elapsedMs: SETTLED_AFTER_MS, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: SETTLED_AFTER_MS,
      expected: fromNow(DAY + SETTLED_AFTER_MS / 1000),
    },
    {
      name: 'no more than what has become old, by a clock that has not',
      vouched: fromNow(400 * DAY),
      last: { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: SETTLED_AFTER_MS - 1,
      expected: fromNow(60),
    },
    {
      name: 'no more than that soon after the last stride',
      vouched: fromNow(400 * DAY),
      last: { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS - 1 },
      evenForMs: SETTLED_AFTER_MS,
      expected: fromNow(60),
    },
    {
      name: 'less than before, once the time is known to be earlier',
      vouched: fromNow(-9 * DAY),
      last: { at: NOW, elapsedMs: 0, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: 0,
      expected: fromNow(-9 * DAY),
    },
  ] as const)('is $name', ({ vouched, last, evenForMs, expected }) => {
    expect(forgettingTimeOf(vouched, last, evenForMs)).toBe(expected)
  })
})
