import { epochMs } from '@svc/core'
import { describe, expect, it } from 'vitest'
import { type BackupTable, namedRow } from './backup-format.ts'
import type { BackupLine } from './backup-reader.ts'
import { createRowCheck } from './backup-values.ts'

const DAY_MS = 86_400_000
const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const AHEAD = NOW + DAY_MS
const FIRST = Date.UTC(2020, 0)
const RESET_AHEAD = NOW + 10 * 365 * DAY_MS
const usageAt = (at: number): readonly unknown[] => [
  at,
  '1',
  'i',
  'a',
  'k',
  'm',
  1,
  0,
  'default',
  null,
  null,
  null,
  null,
  null,
  null,
  null,
  null,
  null,
]

interface Case {
  readonly name: string
  readonly table: BackupTable
  readonly row: readonly unknown[]
}
const line = (table: BackupTable, row: readonly unknown[], number = 7) =>
  ({ table, row: namedRow(table, row), number }) as BackupLine

const allowed: readonly Case[] = [
  { name: 'usage of the first moment of 2020', table: 'usage', row: usageAt(FIRST) },
  { name: 'usage a day ahead', table: 'usage', row: usageAt(AHEAD) },
  {
    name: 'a reset in ten years',
    table: 'quotaSamples',
    row: ['i', 'a', 'week', NOW, 5, RESET_AHEAD],
  },
  {
    name: 'a sample without a reset',
    table: 'quotaSamples',
    row: ['i', 'a', 'week', AHEAD, 5, null],
  },
  { name: 'a gap of no length', table: 'gaps', row: [NOW, NOW, 'restart', 'default'] },
  {
    name: 'the start of a day',
    table: 'days',
    row: ['total', FIRST / 1000, 'i', '', 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
  },
  { name: 'a cut a day ahead', table: 'meta', row: ['cut_ms', String(AHEAD)] },
  { name: 'an account', table: 'accounts', row: ['i', 'a', 'title'] },
]
const refused: readonly (Case & { readonly why: RegExp })[] = [
  {
    name: 'usage later than a day ahead',
    table: 'usage',
    row: usageAt(AHEAD + 1),
    why: /in the future/,
  },
  {
    name: 'a sample of the future',
    table: 'quotaSamples',
    row: ['i', 'a', 'week', AHEAD + 1, 5, null],
    why: /in the future/,
  },
  {
    name: 'a reset in more than ten years',
    table: 'quotaSamples',
    row: ['i', 'a', 'week', NOW, 5, RESET_AHEAD + 1],
    why: /in the future/,
  },
  {
    name: 'a point of the future',
    table: 'capacityPoints',
    row: ['week', AHEAD + 1, 1, 1, 0, 0, null],
    why: /in the future/,
  },
  {
    name: 'a change of the future',
    table: 'recentChanges',
    row: [AHEAD + 1, 'bad', '{}'],
    why: /in the future/,
  },
  {
    name: 'a gap that ends in the future',
    table: 'gaps',
    row: [NOW, AHEAD + 1, 'restart', 'default'],
    why: /in the future/,
  },
  ...(
    [
      ['usage', usageAt(FIRST - 1)],
      ['usage', usageAt(0)],
      ['days', ['total', FIRST / 1000 - 86_400, 'i', '', 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]],
      ['quotaSamples', ['i', 'a', 'week', 0, 5, null]],
      ['quotaSamples', ['i', 'a', 'week', NOW, 5, 0]],
      ['capacityPoints', ['week', 0, 1, 1, 0, 0]],
      ['recentChanges', [0, 'bad', '{}']],
      ['gaps', [0, NOW, 'restart', 'default']],
    ] as const
  ).map(([table, row]): Case & { readonly why: RegExp } => ({
    name: `${table} dated before 2020: ${row.join()}`,
    table,
    row,
    why: /before 2020/,
  })),
  {
    name: 'a gap that ends before it begins',
    table: 'gaps',
    row: [NOW, NOW - 1, 'restart', 'default'],
    why: /ends before it begins/,
  },
  {
    name: 'a day that begins at noon',
    table: 'days',
    row: ['total', FIRST / 1000 + 43_200, 'i', '', 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    why: /start of a day/,
  },
  {
    name: 'a cut of the future',
    table: 'meta',
    row: ['cut_ms', String(AHEAD + 1)],
    why: /cut_ms is not a time in the past/,
  },
  {
    name: 'a cut that is no time',
    table: 'meta',
    row: ['cut_ms', 'soon'],
    why: /cut_ms is not a time in the past/,
  },
  {
    name: 'an instance of another form',
    table: 'meta',
    row: ['instance', "'--"],
    why: /not what a store gives itself/,
  },
  {
    name: 'a short fingerprint key',
    table: 'meta',
    row: ['fingerprint_key', 'ab'],
    why: /not what a store gives itself/,
  },
]

describe('the values of a backup', () => {
  it.each(allowed)('may be $name', ({ table, row }) => {
    expect(() => createRowCheck(NOW).check(line(table, row))).not.toThrow()
  })

  it.each(refused)('may not be $name', ({ table, row, why }) => {
    const check = () => createRowCheck(NOW).check(line(table, row))

    expect(check).toThrow(why)
    expect(check).toThrow(/^line 7: /)
  })

  it('of usage come in the order of time, and the newest is known', () => {
    const check = createRowCheck(NOW)
    expect(check.newestAt()).toBeNull()
    for (const at of [FIRST + 1, FIRST + 5, FIRST + 5]) check.check(line('usage', usageAt(at)))

    expect(check.newestAt()).toBe(FIRST + 5)
    expect(() => check.check(line('usage', usageAt(FIRST + 4), 8))).toThrow(
      'line 8: not in the order of time',
    )
  })

  it('say who the store is, where its cut lies and since when it has watched', () => {
    const check = createRowCheck(NOW)
    expect(check.meta()).toEqual({
      cut: null,
      firstPoll: null,
      tiersSince: null,
      identity: new Map(),
    })
    const rows = [
      ['cut_ms', '5'],
      ['first_poll_ms', '3'],
      ['tiers_since_ms', '4'],
      ['instance', '0123456789abcdef'],
    ]
    for (const row of rows) check.check(line('meta', row))

    expect(check.meta()).toEqual({
      cut: 5,
      firstPoll: 3,
      tiersSince: 4,
      identity: new Map([['instance', '0123456789abcdef']]),
    })
  })
})
