import { anAccount, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { anEntry, change, type Entry, showPool } from '../testing/page.ts'
import { browserMs } from './live-data.ts'
import { chooseLineMinutes, type ResetLine, resetLines } from './reset-lines.ts'

/** Accounts with used-up 5h windows that reset one after another, `everySeconds` apart. */
const spread = (count: number, everySeconds: number): readonly Entry[] =>
  Array.from({ length: count }, (_, index) =>
    anEntry(`user${index}`, { fiveHour: 0, resetsInSeconds: 600 + index * everySeconds }),
  )
const lines = (hours = 6) => resetLines('5h', chooseLineMinutes('5h', hours))
const namesOf = ({ rows }: ResetLine) => rows.map(({ account }) => account.split('@')[0])

describe('the lines of a table of resets', () => {
  it('are one for each account as long as they are read one by one', () => {
    showPool([...spread(19, 60), anEntry('idle', { fiveHour: 100 })])

    expect(chooseLineMinutes('5h', 6)).toBeNull()
    expect(lines().flatMap(namesOf)).toHaveLength(20)
    expect(lines().every(({ rows }) => rows.length === 1)).toBe(true)
  })

  it('have those that return nothing on one line for each reason, however short the table is', () => {
    const idle = { fiveHour: 100 }
    showPool([...spread(2, 60), anEntry('eva', idle), anEntry('fay', idle), anEntry('gus', idle)])

    expect(chooseLineMinutes('5h', 6)).toBeNull()
    expect(lines().map(({ rows, units }) => [rows.length, units > 0])).toEqual([
      [1, true],
      [1, true],
      [3, false],
    ])
  })

  it.each([
    { what: 'all in one minute', count: 40, everySeconds: 0, minutes: 1 },
    { what: 'in 40 minutes', count: 40, everySeconds: 60, minutes: 5 },
    { what: 'in four hours', count: 60, everySeconds: 240, minutes: 30 },
  ])('are by the shortest stretch that reaches the hours that are chosen: $what', (row) => {
    showPool(spread(row.count, row.everySeconds))

    expect(chooseLineMinutes('5h', 6)).toBe(row.minutes)
    expect(lines().length).toBeLessThanOrEqual(16)
    expect(new Set(lines().flatMap(namesOf)).size).toBe(row.count)
    expect(lines().reduce((total, { units }) => total + units, 0)).toBeCloseTo(row.count)
  })

  it('have all that is beyond those hours and has no room on the last line, by its own lines', () => {
    showPool(spread(40, 1_800))

    expect(chooseLineMinutes('5h', 6)).toBe(1)
    const last = lines().at(-1)
    expect(lines()).toHaveLength(16)
    expect(last).toMatchObject({ id: 'later', span: { atMs: NOW + 600_000 + 15 * 1_800_000 } })
    expect(last?.span?.lastMs).toBe(NOW + 600_000 + 39 * 1_800_000)
    expect(last?.units).toBeCloseTo(25)
    expect(last?.lines.flatMap(namesOf)).toEqual(last === undefined ? [] : namesOf(last))
  })

  it('end with what returns nothing, by the reason', () => {
    const many = (name: string, entry: (name: string) => Entry) =>
      Array.from({ length: 8 }, (_, index) => entry(`${name}${index}`))
    showPool([
      ...many('back', (name) => anEntry(name, { fiveHour: 0, resetsInSeconds: 600 })),
      ...many('full', (name) => anEntry(name, { fiveHour: 100 })),
      ...many('idle', (name) => anEntry(name, { fiveHour: 100, resetsInSeconds: 18_000 })),
      ...many('go', (name) => anEntry(name, {}, { claimedPlan: 'go' })),
      ...many('unread', (name) => [anAccount(name), null]),
      ...many('past', (name) =>
        anEntry(name, { fiveHour: 40, ageSeconds: 1_200, resetsInSeconds: -60 }),
      ),
    ])

    expect(lines().map(({ reason, rows }) => [reason, namesOf({ rows } as ResetLine)[0]])).toEqual([
      [null, 'back0'],
      ['unproven', 'past0'],
      ['notStarted', 'idle0'],
      ['full', 'full0'],
      ['uncounted', 'go0'],
      ['unknown', 'unread0'],
    ])
  })

  it('keep their names while time goes on, so that what is open stays open', () => {
    showPool(spread(40, 60))
    const before = lines().map(({ id }) => id)
    change(() => {
      browserMs.value = NOW + 61_000
    })

    expect(lines().map(({ id }) => id)).toEqual(before)
    browserMs.value = NOW
  })
})
