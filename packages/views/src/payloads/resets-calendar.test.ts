import type { EvaluatedAccount, Snapshot } from '@svc/core'
import type { CapacityReturn } from '@svc/core/pool'
import { fromNow, NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Language } from '../language/language.ts'
import { createWording } from '../messages/wording.ts'
import { anEvaluatedAccount, aPoolCapacity, aSnapshot, knownWindow } from '../testing/snapshots.ts'
import { calendarInstant, calendarText, calendarValue, resetsCalendar } from './resets-calendar.ts'

const DAY = 86_400

/** An account whose 5h window gives quota back, and whose week does not. */
function anAccountBack(resetsInSeconds: number) {
  const windows = [knownWindow('5h', 74, resetsInSeconds), knownWindow('week', 100, DAY)]
  const account = anEvaluatedAccount('ann', { windows })
  const coming: CapacityReturn = {
    at: fromNow(resetsInSeconds),
    units: 0.26,
    fileKey: account.selector.authName,
    title: account.title,
  }
  return aSnapshot([account], { capacity: aPoolCapacity({ '5h': { returns: [coming] } }) })
}

const aSubscriber = (
  endsInSeconds: number | null,
  changes: Partial<EvaluatedAccount> = {},
): EvaluatedAccount => {
  const account = anEvaluatedAccount('ann', changes)
  const subscribedUntil = endsInSeconds === null ? null : fromNow(endsInSeconds)
  const modifiedAt = fromNow(-2 * DAY)
  return { ...account, account: { ...account.account, subscribedUntil, modifiedAt } }
}

/** The unfolded lines of a calendar. */
function linesOf(snapshot: Snapshot, { names = false, language = 'en' as Language } = {}) {
  const text = resetsCalendar(snapshot, { text: createWording('UTC', language), names })
  return text.replaceAll('\r\n ', '').split('\r\n')
}
const valuesOf = (name: string, lines: readonly string[]) =>
  lines.flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1)] : []))

describe('the calendar of resets', () => {
  it('has the reset that gives quota back, and not the one that gives nothing', () => {
    const lines = linesOf(anAccountBack(2940))

    expect(valuesOf('SUMMARY', lines)).toEqual(['5h reset: Plus account 0123'])
    expect(valuesOf('DESCRIPTION', lines)).toEqual(['Gives back 0.3 Plus.'])
    expect(lines).toContain(`DTSTAMP:${calendarInstant(fromNow(-4))}`)
    expect(lines).toContain(`DTSTART:${calendarInstant(fromNow(2940))}`)
  })

  it('moves an event when its time moves, and keeps its UID', () => {
    const [before, after] = [linesOf(anAccountBack(2940)), linesOf(anAccountBack(3600))]

    expect(valuesOf('UID', before)).toEqual(['reset-5h-0123456789abcdef@svc-quota-monitor'])
    expect(valuesOf('UID', after)).toEqual(valuesOf('UID', before))
    expect(after).toContain(`DTSTART:${calendarInstant(fromNow(3600))}`)
  })

  it('does not repeat, as a reset of 5h, the reset of the week that frees the account', () => {
    const snapshot = anAccountBack(2940)
    const resetColumns = snapshot.resetColumns.map((column) => ({
      ...column,
      rows: column.rows.map((row) => ({ ...row, resetSource: 'week' as const })),
    }))

    expect(valuesOf('UID', linesOf({ ...snapshot, resetColumns }))).toEqual([])
  })

  it.each([
    { what: 'none without an end', accounts: [aSubscriber(null)], starts: [] },
    { what: 'none of one that ended', accounts: [aSubscriber(-DAY)], starts: [] },
    {
      what: 'one for all files of an account',
      accounts: [aSubscriber(9 * DAY), aSubscriber(9 * DAY)],
      starts: [calendarInstant(NOW + 9 * DAY * 1000)],
    },
  ])('of ends of subscriptions: $what', ({ accounts, starts }) => {
    const lines = linesOf(aSnapshot(accounts))

    expect(valuesOf('DTSTART', lines).slice(1)).toEqual(starts)
    expect(valuesOf('DESCRIPTION', lines)).toEqual(
      starts.map(() => 'As its login of 18 Nov 12:00 says\\; a later renewal would not show.'),
    )
  })

  it('has each expiry of banked resets of an account once, and says no name', () => {
    const expiresAt = [fromNow(DAY), fromNow(DAY), fromNow(9 * DAY)]
    const bankedResets = { count: 3, sampledAt: NOW, expiresAt, stale: false }
    const account = anEvaluatedAccount('ann', { bankedResets })
    const lines = linesOf(aSnapshot([account, { ...account, countedInCapacity: false }]))

    expect(valuesOf('UID', lines)).toEqual(
      [1, 9].map(
        (days) =>
          `banked-0123456789abcdef-${calendarInstant(fromNow(days * DAY))}@svc-quota-monitor`,
      ),
    )
    expect(valuesOf('DTSTART', lines).slice(1)).toEqual([
      calendarInstant(fromNow(DAY)),
      calendarInstant(fromNow(9 * DAY)),
    ])
    expect(valuesOf('SUMMARY', lines)[0]).toBe('Banked reset lapses: Plus account 0123')
  })

  it('calls accounts by their titles only where it is told to', () => {
    const pool = aSnapshot([aSubscriber(DAY)])

    expect(linesOf(pool).join()).not.toContain('example.com')
    expect(valuesOf('SUMMARY', linesOf(pool, { names: true }))).toEqual([
      'Subscription ends: ann@example.com',
    ])
  })

  it('speaks Chinese', () => {
    const reset = linesOf(anAccountBack(2940), { language: 'zh-CN' })
    const end = linesOf(aSnapshot([aSubscriber(DAY)]), { language: 'zh-CN' })

    expect(valuesOf('SUMMARY', [...reset, ...end])).toEqual([
      '5 小时配额重置：Plus 账号 0123',
      '订阅到期：Plus 账号 0123',
    ])
    expect(valuesOf('DESCRIPTION', end)).toEqual([
      '以其 11月18日 12:00 的登录信息为准；此后的续订不会显示。',
    ])
  })

  it('has a component even without an event', () => {
    const lines = linesOf(aSnapshot([]))

    expect(lines.filter((line) => line.startsWith('BEGIN:'))).toEqual([
      'BEGIN:VCALENDAR',
      'BEGIN:VTIMEZONE',
      'BEGIN:STANDARD',
    ])
  })
})

const octetsOf = (line: string) => new TextEncoder().encode(line).length
/** Whether it is a text of its own: half a character would not come back. */
const isWhole = (line: string) => new TextDecoder().decode(new TextEncoder().encode(line)) === line
/** Properties with values of any length and in any script. */
const unit = fc.constantFrom('a', 'é', '账', '🙂', ' ', ':')
const lines = fc.array(fc.string({ unit, maxLength: 200 }).map((value) => `SUMMARY:${value}`))

it('folds every line at 75 octets, never within a character, and ends each with CRLF', () => {
  fc.assert(
    fc.property(lines, (given) => {
      const text = calendarText(given)
      const physical = text.split('\r\n')

      expect(physical.pop()).toBe('')
      for (const line of physical) {
        expect(octetsOf(line)).toBeLessThanOrEqual(75)
        expect(isWhole(line)).toBe(true)
      }
      expect(text.replaceAll('\r\n ', '')).toBe(given.map((line) => `${line}\r\n`).join(''))
    }),
  )
})

it('leaves a line of 75 octets whole, and folds one more', () => {
  expect(calendarText(['x'.repeat(75)])).toBe(`${'x'.repeat(75)}\r\n`)
  expect(calendarText(['x'.repeat(76)])).toBe(`${'x'.repeat(75)}\r\n x\r\n`)
})

it.each([
  { text: 'a; b, c\\d', value: 'a\\; b\\, c\\\\d' },
  { text: 'x\r\nEND:VCALENDAR', value: 'x END:VCALENDAR' },
  { text: 'a:"b"', value: 'a:"b"' },
])('writes $text as a value', ({ text, value }) => {
  expect(calendarValue(text)).toBe(value)
})

it('writes instants in UTC', () => {
  expect(calendarInstant(Date.parse('2026-11-20T13:04:05.678+01:00'))).toBe('20261120T120405Z')
})
