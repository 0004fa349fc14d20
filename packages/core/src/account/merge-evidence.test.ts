import { describe, expect, it } from 'vitest'
import type { QuotaSample, WindowReading } from '../facts/reading.ts'
import type { StatusMessage } from '../facts/status-message.ts'
import { isMainWindowId } from '../facts/window.ts'
import { aQuotaSample, fromNow, NOW } from '../testing/builders.ts'
import {
  mergeEvidence,
  newestDirectSample,
  newestSample,
  showsQuotaLeft,
} from './merge-evidence.ts'
import { type QuotaWindow, windowOf } from './quota-window.ts'

const NO_MESSAGE: StatusMessage = { kind: 'none' }
const windowsNow = (
  samples: readonly QuotaSample[],
  message: StatusMessage = NO_MESSAGE,
  now = NOW,
) => mergeEvidence(samples, message, { now, plannedIntervalSeconds: 300 })
/** State and percent of each window; further rows of `mainWindows` are left out, because no sample here shows them. */
const brief = (windows: readonly QuotaWindow[]) =>
  windows.flatMap((window) => {
    if ('percent' in window) return [`${window.id} ${window.state} ${window.percent}`]
    const further = isMainWindowId(window.id) && window.id !== '5h' && window.id !== 'week'
    return further ? [] : [`${window.id} ${window.state}`]
  })
const reading = (
  id: string,
  percent: number,
  resetsInSeconds: number | null = null,
  periodSeconds: number | null = null,
): WindowReading => ({
  id,
  percent,
  periodSeconds,
  resetAt: resetsInSeconds === null ? null : fromNow(resetsInSeconds),
})

describe('states of a window', () => {
  it.each<readonly [why: string, samples: readonly QuotaSample[], expected: string]>([
    ['nothing was read', [], '5h unknown, week unknown'],
    [
      'all of it is left',
      [aQuotaSample({ fiveHour: 100, week: 100 })],
      '5h known 100, week known 100',
    ],
    ['more than all is all', [aQuotaSample({ fiveHour: 130 })], '5h known 100, week known 60'],
    ['nothing is left', [aQuotaSample({ fiveHour: 0 })], '5h exhausted 0, week known 60'],
    [
      'less than nothing is nothing',
      [aQuotaSample({ fiveHour: -3 })],
      '5h exhausted 0, week known 60',
    ],
    [
      'one decimal is kept',
      [aQuotaSample({ fiveHour: 33.34, week: 33.36 })],
      '5h known 33.3, week known 33.4',
    ],
    ['a trace is not nothing', [aQuotaSample({ fiveHour: 0.01 })], '5h known 0.1, week known 60'],
    [
      'the answer shows no such window',
      [aQuotaSample({ fiveHour: null })],
      '5h absent, week known 60',
    ],
    [
      'the answer shows no window at all',
      [aQuotaSample({ fiveHour: null, week: null })],
      '5h absent, week absent',
    ],
    [
      'a window of the answer could not be read, so a missing one may be it',
      [aQuotaSample({ fiveHour: null }, { unreadableWindowCount: 1 })],
      '5h unknown, week known 60',
    ],
    [
      'headers list what one request touched, so they prove no absence',
      [aQuotaSample({ fiveHour: null }, { origin: 'headers' })],
      '5h unknown, week known 60',
    ],
    [
      'a newer full answer without the window overrules an older reading of it',
      [
        aQuotaSample({ ageSeconds: 60 }, { origin: 'headers' }),
        aQuotaSample({ fiveHour: null, week: 50 }),
      ],
      '5h absent, week known 50',
    ],
    [
      'an older full answer does not',
      [
        aQuotaSample({ fiveHour: 70 }, { origin: 'headers' }),
        aQuotaSample({ fiveHour: null, week: 50, ageSeconds: 60 }),
      ],
      '5h known 70, week known 60',
    ],
    [
      'a newer answer that could not be read in full does not either',
      [
        aQuotaSample({ fiveHour: 70, ageSeconds: 60 }, { origin: 'headers' }),
        aQuotaSample({ fiveHour: null, week: 50 }, { unreadableWindowCount: 1 }),
      ],
      '5h known 70, week known 50',
    ],
    [
      'further main windows come after the two, those of another scope last',
      [
        aQuotaSample(
          {},
          {
            windows: ['extra:spark:week', 'spend', 'code_review:week', 'month', 'week', '5h'].map(
              (id) => reading(id, 50),
            ),
          },
        ),
      ],
      '5h known 50, week known 50, month known 50, spend known 50, code_review:week known 50, extra:spark:week known 50',
    ],
    [
      'a further window that a newer answer no longer lists is gone',
      [
        aQuotaSample({ ageSeconds: 60 }, { origin: 'headers', windows: [reading('month', 50)] }),
        aQuotaSample(),
      ],
      '5h known 80, week known 60',
    ],
  ])('%s', (_, samples, expected) => {
    expect(brief(windowsNow(samples)).join(', ')).toBe(expected)
    expect(brief(windowsNow([...samples].reverse())).join(', ')).toBe(expected)
  })
})

describe('a limit reported reached', () => {
  const reached = { limitReached: true }
  it.each<readonly [why: string, sample: QuotaSample, expected: string]>([
    [
      'is the window at 0',
      aQuotaSample({ fiveHour: 0, week: 3 }, reached),
      '5h exhausted 0, week known 3',
    ],
    [
      'is the window with the least left where none is at 0',
      aQuotaSample({ fiveHour: 7, week: 3 }, reached),
      '5h known 7, week exhausted 0',
    ],
    [
      'whichever that is',
      aQuotaSample({ fiveHour: 3, week: 7 }, reached),
      '5h exhausted 0, week known 7',
    ],
    [
      'never one of another scope',
      aQuotaSample(
        { fiveHour: 7, week: 9 },
        {
          ...reached,
          windows: [reading('5h', 7), reading('week', 9), reading('extra:spark:week', 0)],
        },
      ),
      '5h exhausted 0, week known 9, extra:spark:week exhausted 0',
    ],
    [
      'is a window of its own where none is listed',
      aQuotaSample({ fiveHour: null, week: null }, reached),
      '5h absent, week absent, limit exhausted 0',
    ],
    [
      'is the spending limit when that is reached',
      aQuotaSample({ fiveHour: 7, week: 3 }, { ...reached, spendReached: { resetAt: null } }),
      '5h known 7, week known 3, spend exhausted 0',
    ],
    [
      'is the spending limit also when nothing else is',
      aQuotaSample({}, { spendReached: { resetAt: fromNow(60) } }),
      '5h known 80, week known 60, spend exhausted 0',
    ],
  ])('%s', (_, sample, expected) => {
    expect(brief(windowsNow([sample])).join(', ')).toBe(expected)
  })

  it('keeps the reset of the window it exhausts', () => {
    const [fiveHour] = windowsNow([
      aQuotaSample({ fiveHour: 3, week: 7, fiveHourResetsInSeconds: 900 }, reached),
    ])

    expect(fiveHour).toMatchObject({ state: 'exhausted', resetAt: fromNow(900) })
  })

  it('is over with the next answer that does not report it', () => {
    const older = aQuotaSample(
      { fiveHour: null, week: null, ageSeconds: 60 },
      { ...reached, origin: 'error-body' },
    )

    expect(brief(windowsNow([older, aQuotaSample()]))).toEqual(['5h known 80', 'week known 60'])
  })
})

describe('evidence of several origins', () => {
  const from = (origin: QuotaSample['origin'], fiveHour: number, ageSeconds = 0) =>
    aQuotaSample({ fiveHour, ageSeconds }, { origin })
  it.each<
    readonly [name: string, samples: readonly QuotaSample[], percent: number, origin: string]
  >([
    ['the newest wins', [from('direct', 80, 1), from('headers', 70)], 70, 'headers'],
    [
      'however little it is trusted',
      [from('direct', 80, 1), from('error-body', 10)],
      10,
      'error-body',
    ],
    ['an older one never does', [from('direct', 80), from('headers', 70, 1)], 80, 'direct'],
    [
      'at equal times direct beats headers',
      [from('headers', 70), from('direct', 80)],
      80,
      'direct',
    ],
    ['headers beat an error body', [from('error-body', 10), from('headers', 70)], 70, 'headers'],
    [
      'an error body beats a message',
      [from('status-message', 5), from('error-body', 10)],
      10,
      'error-body',
    ],
  ])('$0', (_, samples, percent, origin) => {
    for (const order of [samples, [...samples].reverse()]) {
      expect(windowOf(windowsNow(order), '5h')).toMatchObject({ percent, origin })
    }
  })

  it('is merged window by window, each with its own age', () => {
    const headers = aQuotaSample({ fiveHour: 70, week: null }, { origin: 'headers' })
    const windows = windowsNow([aQuotaSample({ ageSeconds: 60 }), headers])

    expect(windowOf(windows, '5h')).toMatchObject({
      percent: 70,
      origin: 'headers',
      sampledAt: NOW,
    })
    expect(windowOf(windows, 'week')).toMatchObject({
      percent: 60,
      origin: 'direct',
      sampledAt: fromNow(-60),
    })
  })

  it('names the newest sample of all and the newest direct one', () => {
    const direct = from('direct', 80, 60)
    const headers = from('headers', 70)

    expect(newestSample([direct, headers])).toBe(headers)
    expect(newestSample([from('error-body', 1), headers])).toBe(headers)
    expect(newestDirectSample([direct, headers])).toBe(direct)
    expect([newestSample([]), newestDirectSample([headers])]).toEqual([null, null])
  })
})

describe('a usage-limit message', () => {
  const limit = (
    resetsInSeconds: number,
    observedSecondsAgo: number | null = 0,
  ): StatusMessage => ({
    kind: 'usage_limit',
    resetsAt: fromNow(resetsInSeconds),
    observedAt: observedSecondsAgo === null ? null : fromNow(-observedSecondsAgo),
  })
  const sample = aQuotaSample({
    fiveHourResetsInSeconds: 9000,
    weekResetsInSeconds: 400_000,
    ageSeconds: 600,
  })

  it.for<
    readonly [
      why: string,
      message: StatusMessage,
      expected: string,
      samples?: readonly QuotaSample[],
    ]
  >([
    ['exhausts the window that resets then', limit(9000), '5h exhausted 0, week known 60'],
    ['or the other one', limit(400_000), '5h known 80, week exhausted 0'],
    ['5 min early is still that window', limit(9000 - 300), '5h exhausted 0, week known 60'],
    ['5 min late too', limit(9000 + 300), '5h exhausted 0, week known 60'],
    ['a millisecond earlier is none', limit(9000 - 300.001), '5h known 80, week known 60'],
    ['a millisecond later is none', limit(9000 + 300.001), '5h known 80, week known 60'],
    [
      'changes nothing without a known reset to match',
      limit(9000),
      '5h known 80, week known 60',
      [aQuotaSample({ ageSeconds: 600 })],
    ],
    ['changes nothing where nothing was read', limit(9000), '5h unknown, week unknown', []],
    [
      'where both windows reset about then, exhausts the one that does so closest to it',
      limit(9000),
      '5h known 80, week exhausted 0',
      [aQuotaSample({ fiveHourResetsInSeconds: 9100, weekResetsInSeconds: 8950, ageSeconds: 600 })],
    ],
    ['loses to a newer reading of that window', limit(9000, 601), '5h known 80, week known 60'],
    ['loses to a reading of the same time', limit(9000, 600), '5h known 80, week known 60'],
    [
      'changes nothing when nobody knows how old it is',
      limit(9000, null),
      '5h known 80, week known 60',
    ],
    [
      'never touches a window of another scope',
      limit(9000),
      '5h known 50, week known 50, extra:spark:week known 50',
      [
        aQuotaSample(
          {},
          {
            windows: [
              reading('5h', 50, 60),
              reading('week', 50),
              reading('extra:spark:week', 50, 9000),
            ],
          },
        ),
      ],
    ],
  ])('$0', ([, message, expected, samples = [sample]]) => {
    expect(brief(windowsNow(samples, message)).join(', ')).toBe(expected)
  })

  it('dates the window by itself', () => {
    expect(windowOf(windowsNow([sample], limit(9010, 30)), '5h')).toMatchObject({
      resetAt: fromNow(9010),
      sampledAt: fromNow(-30),
      origin: 'status-message',
    })
  })
})

it.each([
  ['quota in all main windows', aQuotaSample(), true],
  ['one of two exhausted', aQuotaSample({ fiveHour: 0 }), false],
  ['a reported limit', aQuotaSample({}, { limitReached: true }), false],
  ['a reached spending limit', aQuotaSample({}, { spendReached: { resetAt: null } }), false],
  [
    'an exhausted extra scope only',
    aQuotaSample({}, { windows: [reading('week', 50), reading('extra:spark:week', 0)] }),
    true,
  ],
  ['no window', aQuotaSample({ fiveHour: null, week: null }), false],
])('a sample with %s shows quota left: %s', (_, sample, expected) => {
  expect(showsQuotaLeft(sample)).toBe(expected)
})
