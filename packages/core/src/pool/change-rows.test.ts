import { describe, expect, it } from 'vitest'
import { fromNow } from '../testing/builders.ts'
import { changeRowsOf, changesToKeep } from './change-rows.ts'
import type { ChangeDetail, RecentChange } from './recent-changes.ts'

const change = (minutes: number, detail: ChangeDetail, tone: RecentChange['tone'] = 'warn') => ({
  at: fromNow(-60 * minutes),
  tone,
  detail,
})
const status = (from: 'active' | 'ready_unproven' | 'retry_after', to: typeof from, who = 'a') =>
  ({
    code: 'status_changed',
    title: who,
    accountKey: `key-${who}`,
    from,
    to,
    until: null,
  }) as const
const ready = status('retry_after', 'ready_unproven')
const held = status('ready_unproven', 'retry_after')
/** Alternating changes, `everyMinutes` apart, the newest now. */
const flips = (count: number, everyMinutes = 1) =>
  Array.from({ length: count }, (_, index) =>
    change(index * everyMinutes, index % 2 === 0 ? held : ready),
  )
const minutesAgo = (at: number) => (fromNow(0) - at) / 60_000
/** Rows as in `3 since 2 at 0`, in minutes ago. */
const briefly = (changes: readonly RecentChange[]) =>
  changeRowsOf(changes).map(
    ({ at, count, since }) => `${count} since ${minutesAgo(since)} at ${minutesAgo(at)}`,
  )

describe('the rows of a list of changes', () => {
  it.each<readonly [why: string, changes: readonly RecentChange[], rows: string]>([
    ['nothing changed', [], ''],
    ['there and back again is two', flips(2), '1 since 0 at 0, 1 since 1 at 1'],
    ['three times is one', flips(3), '3 since 2 at 0'],
    ['a quarter of an hour apart still', flips(4, 15), '4 since 45 at 0'],
    [
      'further apart not',
      flips(3, 15.1),
      '1 since 0 at 0, 1 since 15.1 at 15.1, 1 since 30.2 at 30.2',
    ],
    [
      'two accounts are two',
      flips(6).map((flip, index) =>
        index % 4 < 2 ? flip : change(index, status('ready_unproven', 'retry_after', 'b')),
      ),
      '4 since 5 at 0, 1 since 2 at 2, 1 since 3 at 3',
    ],
    [
      'another state in between is a row of its own',
      [
        change(0, held),
        change(1, status('active', 'ready_unproven')),
        change(2, ready),
        change(3, held),
      ],
      '3 since 3 at 0, 1 since 1 at 1',
    ],
    [
      'a window, a source and the gateway go to and fro as well',
      [0, 1, 2].flatMap((minutes) => [
        change(minutes, {
          code: minutes === 1 ? 'window_reset' : 'window_exhausted',
          title: 'a',
          windowId: '5h',
        }),
        change(minutes, { code: 'gateway_changed', up: minutes === 1 }),
        change(minutes, {
          code: 'source_changed',
          from: minutes === 1 ? 'partial' : 'live',
          to: minutes === 1 ? 'live' : 'partial',
        }),
      ]),
      '3 since 2 at 0, 3 since 2 at 0, 3 since 2 at 0',
    ],
    [
      'accounts that join and leave do not',
      [0, 1, 2].map((minutes) =>
        change(minutes, {
          code: minutes === 1 ? 'account_added' : 'account_removed',
          title: 'a',
          accountKey: 'key-a',
        }),
      ),
      '1 since 0 at 0, 1 since 1 at 1, 1 since 2 at 2',
    ],
  ])('$0', (_, changes, rows) => {
    expect(briefly(changes).join(', ')).toBe(rows)
  })

  it.each([
    { newest: 'warn', tone: 'unknown' },
    { newest: 'good', tone: 'unknown' },
    { newest: 'bad', tone: 'bad' },
  ] as const)('a run that is $newest now is $tone', ({ newest, tone }) => {
    const [first, ...others] = flips(3)
    if (first === undefined) throw new Error('three flips')

    expect(changeRowsOf([{ ...first, tone: newest }, ...others])).toMatchObject([{ tone }])
    expect(changeRowsOf([{ ...first, tone: newest }])).toMatchObject([{ tone: newest }])
  })

  it('a flood leaves room for what else happened', () => {
    const rare = change(400, { code: 'account_added', title: 'b', accountKey: 'key-b' }, 'good')
    const kept = changesToKeep([...flips(400), rare])

    expect(kept).toHaveLength(401)
    expect(briefly(kept)).toEqual(['400 since 399 at 0', '1 since 400 at 400'])
  })

  it('no more than 500 changes are kept', () => {
    expect(changesToKeep(flips(600))).toHaveLength(500)
  })
})
