import { describe, expect, it } from 'vitest'
import type { Account } from '../facts/account.ts'
import type { QuotaSample } from '../facts/reading.ts'
import { plusMs } from '../facts/time.ts'
import { mainWindows } from '../facts/window.ts'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf } from '../testing/builders.ts'
import { hasResetBetween } from './reset-schedule.ts'

type Entry = readonly [name: string, sample: QuotaSample | null, changes?: Partial<Account>]

function rowsOf(entries: readonly Entry[], windowId: '5h' | 'week') {
  const { resetColumns } = aSnapshot(
    entries.map(([name, sample, changes]) => [
      anAccount(name, changes),
      sample === null ? null : evidenceOf([sample]),
    ]),
  )
  const rows = resetColumns.find((column) => column.windowId === windowId)?.rows ?? []
  return rows.map((row) => [row.account.title.split('@')[0], row.resetsInSeconds, row.resetSource])
}

const both = (
  fiveHour: number,
  week: number,
  fiveHourResets: number | null = 3600,
  weekResets: number | null = 90_000,
) =>
  aQuotaSample({
    fiveHour,
    week,
    fiveHourResetsInSeconds: fiveHourResets,
    weekResetsInSeconds: weekResets,
  })

it('there is a column for each main window', () => {
  expect(aSnapshot([]).resetColumns).toEqual(
    mainWindows.map(({ id }) => ({ windowId: id, rows: [] })),
  )
})

it.each([
  ['before either', 3_599, false],
  ['at the reset of the five hours', 3_600, true],
  ['past both', 100_000, true],
])('whether something was reset: %s', (_, seconds, expected) => {
  const { resetColumns, evaluatedAt } = aSnapshot([[anAccount('a'), evidenceOf([both(80, 60)])]])

  expect(hasResetBetween(resetColumns, evaluatedAt, plusMs(evaluatedAt, seconds * 1000))).toBe(
    expected,
  )
})

it('what was reset at the beginning of the time was reset before it', () => {
  const { resetColumns, evaluatedAt } = aSnapshot([[anAccount('a'), evidenceOf([both(80, 60)])]])
  const resetAt = plusMs(evaluatedAt, 3_600_000)

  expect(hasResetBetween(resetColumns, resetAt, plusMs(resetAt, 1_000))).toBe(false)
})

describe('what really frees an account', () => {
  it.each<
    readonly [
      name: string,
      sample: QuotaSample | null,
      fiveHour: readonly unknown[],
      week: readonly unknown[],
    ]
  >([
    ['each window its own reset', both(80, 60), [['a', 3600, '5h']], [['a', 90_000, 'week']]],
    ['an exhausted 5h window too', both(0, 60), [['a', 3600, '5h']], [['a', 90_000, 'week']]],
    [
      'the week when the week is exhausted',
      both(80, 0),
      [['a', 90_000, 'week']],
      [['a', 90_000, 'week']],
    ],
    [
      'nothing known when its reset is not',
      both(80, 0, 3600, null),
      [['a', null, null]],
      [['a', null, null]],
    ],
    [
      'nothing known without a reset',
      both(80, 60, null, null),
      [['a', null, null]],
      [['a', null, null]],
    ],
    ['nothing known where nothing was read', null, [['a', null, null]], [['a', null, null]]],
    [
      'no row for a window the plan does not have',
      aQuotaSample({ fiveHour: null, weekResetsInSeconds: 90_000 }),
      [],
      [['a', 90_000, 'week']],
    ],
    ['seconds are rounded up', both(80, 60, 59.001), [['a', 60, '5h']], [['a', 90_000, 'week']]],
  ])('$0', (_, sample, fiveHour, week) => {
    expect(rowsOf([['a', sample]], '5h')).toEqual(fiveHour)
    expect(rowsOf([['a', sample]], 'week')).toEqual(week)
  })
})

it('rows go by time, then by name, unknown ones last', () => {
  const entries: Entry[] = [
    ['unread', null],
    ['late', both(80, 60, 7200)],
    ['b', both(80, 60, 3600)],
    ['a', both(80, 60, 3600)],
  ]

  expect(rowsOf(entries, '5h').map(([name]) => name)).toEqual(['a', 'b', 'late', 'unread'])
})

it('disabled accounts have no row, other blocked ones do', () => {
  const entries: Entry[] = [
    ['off', both(80, 60), { operatorDisabled: true }],
    ['invalid', both(80, 60), { upstreamStatus: 'invalid' }],
  ]

  expect(rowsOf(entries, '5h').map(([name]) => name)).toEqual(['invalid'])
})
