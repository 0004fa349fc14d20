import type { CapacityReturn } from '@svc/core/pool'
import { anAbsentWindow, fromNow } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import {
  anEvaluatedAccount,
  aPoolCapacity,
  aSnapshot,
  exhaustedWindow,
  knownWindow,
  statusContext,
  unknownWindow,
} from '../testing/snapshots.ts'
import { statusView } from './status.ts'

describe('the resets tab', () => {
  it('says what each reset gives back, and leaves it out where it gives nothing', () => {
    const account = anEvaluatedAccount('known')
    const coming: CapacityReturn = {
      at: fromNow(2940),
      units: 0.264,
      fileKey: account.selector.authName,
      title: account.title,
    }
    const capacity = aPoolCapacity({ '5h': { returns: [coming] } })
    const [fiveHour, week] = statusView(aSnapshot([account], { capacity }), statusContext).tabs
      .resets.columns

    expect(fiveHour?.rows[0]?.units).toBe(0.264)
    expect(week?.rows[0]?.units).toBeUndefined()
  })

  it('counts quota that expires unused once, however many files an account has', () => {
    const reclaim = { id: '5h', percent: 90, resetsInSeconds: 1800 } as const
    const files = [true, false].map((countedInCapacity) =>
      anEvaluatedAccount('ana', { reclaim, countedInCapacity }),
    )

    const rows = statusView(aSnapshot(files), statusContext).tabs.resets.reclaim
    expect(rows.map(({ units }) => units)).toEqual([0.9])
  })

  it('fills a row for every state of a window, its texts never null', () => {
    const accounts = [
      anEvaluatedAccount('known'),
      anEvaluatedAccount('used', { windows: [exhaustedWindow('5h', null), unknownWindow('week')] }),
      anEvaluatedAccount('over', {
        windows: [
          knownWindow('5h', 100, null, { rolledOverAt: fromNow(-9), stale: true }),
          unknownWindow('week'),
        ],
      }),
      anEvaluatedAccount('absent', { windows: [anAbsentWindow('5h'), unknownWindow('week')] }),
      anEvaluatedAccount('unread', { windows: [unknownWindow('5h'), unknownWindow('week')] }),
    ]
    const { columns } = statusView(aSnapshot(accounts), statusContext).tabs.resets

    expect(columns.map(({ id, label }) => [id, label])).toEqual([
      ['5h', '5h'],
      ['week', 'Weekly'],
    ])
    expect(
      columns[0]?.rows.map((row) => [
        row.state,
        row.percentText,
        row.remainingText,
        row.timeText,
        row.displayResetSource,
      ]),
    ).toEqual([
      ['known', '74%', '49min', '20:49', '5h'],
      ['exhausted', '0%', 'unknown', '–', null],
      ['known', '100%', 'reset, unconfirmed', '–', null],
      ['absent', '–', '–', '–', null],
      ['unknown', 'unknown', 'unknown', '–', null],
    ])
  })

  it.each([
    { what: 'whose time no request has begun', percent: 100, seconds: 18_000, notStarted: true },
    { what: 'whose time runs', percent: 100, seconds: 17_000, notStarted: undefined },
    { what: 'that was used', percent: 99, seconds: 18_000, notStarted: undefined },
  ])('marks a window $what: $notStarted', ({ percent, seconds, notStarted }) => {
    const reading = { origin: 'direct', sampledAt: fromNow(0) } as const
    const account = anEvaluatedAccount('a', {
      windows: [
        knownWindow('5h', percent, seconds, reading),
        knownWindow('week', 100, 604_800, reading),
      ],
    })
    const [fiveHour, week] = statusView(aSnapshot([account]), statusContext).tabs.resets.columns

    expect(fiveHour?.rows[0]?.notStarted).toBe(notStarted)
    expect(week?.rows[0]?.notStarted).toBeUndefined()
  })

  it('dates an unstarted window that waits for the week by the reset of the week', () => {
    const reading = { origin: 'direct', sampledAt: fromNow(0) } as const
    const account = anEvaluatedAccount('a', {
      windows: [knownWindow('5h', 100, 18_000, reading), exhaustedWindow('week', 86_400)],
    })
    const [window] = account.windows
    if (window === undefined) throw new Error('an account has windows')
    const held = { account, window, resetSource: 'week' } as const
    const rows = [{ ...held, resetAt: fromNow(86_400), resetsInSeconds: 86_400 }]
    const [row] =
      statusView(aSnapshot([account], { resetColumns: [{ windowId: '5h', rows }] }), statusContext)
        .tabs.resets.columns[0]?.rows ?? []

    expect(row).toMatchObject({
      displayResetSource: 'week',
      remainingText: '1d 0h',
      timeText: 'Sat 20:00',
    })
    expect(row?.notStarted).toBeUndefined()
  })

  it('lists what is about to expire, soonest first', () => {
    const expiring = (name: string, resetsInSeconds: number) =>
      anEvaluatedAccount(name, { reclaim: { id: '5h', percent: 74.2, resetsInSeconds } })
    const view = statusView(
      aSnapshot([expiring('b', 3000), anEvaluatedAccount('c'), expiring('a', 600)]),
      statusContext,
    )

    expect(view.tabs.resets.reclaim[0]?.accountKey).toBe('0123456789abcdef')
    expect(
      view.tabs.resets.reclaim.map((row) => [row.account, row.percentText, row.remainingText]),
    ).toEqual([
      ['a@example.com', '74%', '10min'],
      ['b@example.com', '74%', '50min'],
    ])
  })
})
