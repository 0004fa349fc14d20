import type { EpochMs, EvaluatedAccount, PlanKind, Snapshot } from '@svc/core'
import { subscriptionOf } from '@svc/core/account'
import { allAccountsOf } from '@svc/core/pool'
import { unitsText } from '../format/format.ts'
import type { Wording } from '../messages/wording.ts'
import { returnedUnitsIn } from './resets-tab.ts'

/** Wording of the calendar. `names`: whether to use account titles, which may be e-mail addresses. */
interface CalendarWording {
  readonly text: Wording
  readonly names: boolean
}

interface CalendarEvent {
  /** Identifies the event by its account and kind; stable when the time changes. */
  readonly id: string
  readonly at: EpochMs
  readonly title: string
  readonly detail: string
}

/** Time zone of the calendar, because a calendar needs a component even without events. All its times are in UTC. */
const UTC = [
  ...['BEGIN:VTIMEZONE', 'TZID:UTC', 'BEGIN:STANDARD', 'DTSTART:19700101T000000'],
  ...['TZOFFSETFROM:+0000', 'TZOFFSETTO:+0000', 'END:STANDARD', 'END:VTIMEZONE'],
]

/** The answer of `/api/v1/resets.ics`: resets that return quota, ends of subscriptions and expiries of banked resets, as iCalendar. */
export function resetsCalendar(snapshot: Snapshot, wording: CalendarWording): string {
  const title = calendarValue(wording.text.words.calendar.title)
  const stamp = calendarInstant(snapshot.sampledAt ?? snapshot.evaluatedAt)
  const events = [...resetEvents(snapshot, wording), ...lapseEvents(snapshot, wording)]
  return calendarText([
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//svc-quota-monitor//resets//EN'],
    ...[`NAME:${title}`, `X-WR-CALNAME:${title}`, 'REFRESH-INTERVAL;VALUE=DURATION:PT15M'],
    ...UTC,
    ...events.flatMap(({ id, at, title, detail }) => [
      'BEGIN:VEVENT',
      `UID:${id}@svc-quota-monitor`,
      `DTSTAMP:${stamp}`,
      `DTSTART:${calendarInstant(at)}`,
      `SUMMARY:${calendarValue(title)}`,
      `DESCRIPTION:${calendarValue(detail)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ])
}

/** The next reset of each window that returns quota. A window held back only by another one is left to that window's reset. */
function resetEvents(snapshot: Snapshot, wording: CalendarWording): readonly CalendarEvent[] {
  const { calendar } = wording.text.words
  return snapshot.resetColumns.flatMap(({ windowId, rows }) => {
    const unitsOf = returnedUnitsIn(snapshot, windowId)
    return rows.flatMap((row) => {
      const units = unitsOf(row)
      if (units === undefined || row.resetAt === null || row.resetSource !== windowId) return []
      const title = calendar.reset({ account: nameOf(row.account, wording), windowId })
      const id = `reset-${windowId}-${row.account.selector.accountKey}`
      return [
        {
          id,
          at: row.resetAt,
          title,
          detail: calendar.gives(unitsText(units), wording.text.words.unitNames[snapshot.unit]),
        },
      ]
    })
  })
}

/** Future subscription ends and expiries of banked resets, once per account for all its files. */
function lapseEvents(snapshot: Snapshot, wording: CalendarWording): Iterable<CalendarEvent> {
  const { text } = wording
  const events = new Map<string, CalendarEvent>()
  const now = snapshot.evaluatedAt
  for (const account of allAccountsOf(snapshot)) {
    for (const at of account.bankedResets?.expiresAt ?? []) {
      const id = `banked-${account.selector.accountKey}-${calendarInstant(at)}`
      const title = text.words.calendar.bankedResetLapses(nameOf(account, wording))
      if (!events.has(id))
        events.set(id, { id, at, title, detail: text.words.calendar.spendBefore })
    }
    const subscription = subscriptionOf(account, now)
    const id = `subscription-${account.selector.accountKey}`
    if (subscription === null || subscription.until <= now || events.has(id)) continue
    const { until, seenAt } = subscription
    const title = text.words.calendar.subscriptionEnds(nameOf(account, wording))
    const seen = seenAt === null ? null : text.dateText(seenAt)
    events.set(id, { id, at: until, title, detail: text.words.calendar.asLoginSaid(seen) })
  }
  return events.values()
}

function nameOf(account: EvaluatedAccount, { text, names }: CalendarWording): string {
  return names ? account.title : titleWithoutName(account, text)
}

/** Name of an account without its title: its plan and the beginning of its key. */
export function titleWithoutName(
  {
    plan,
    selector,
  }: { readonly plan: PlanKind; readonly selector: { readonly accountKey: string } },
  { words: { calendar, planName } }: Pick<Wording, 'words'>,
): string {
  return calendar.account({ plan: planName(plan), key: selector.accountKey.slice(0, 4) })
}

/** Longest line of iCalendar in octets, excluding the line end. Source: RFC 5545 3.1. */
const LINE_OCTETS_MAX = 75

/** Lines of iCalendar; long ones are folded between characters. */
export function calendarText(lines: readonly string[]): string {
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

function folded(line: string): string {
  let text = ''
  let octets = 0
  for (const character of line) {
    const more = octetsOf(character.codePointAt(0) ?? 0)
    if (octets + more > LINE_OCTETS_MAX) {
      text += '\r\n '
      octets = 1
    }
    text += character
    octets += more
  }
  return text
}

/** Octets of a code point in UTF-8. */
function octetsOf(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

/** A text as a property value. Control characters, which are not allowed, become spaces. Source: RFC 5545 3.3.11. */
export function calendarValue(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').replace(/[\\;,]/g, '\\$&')
}

/** An instant in UTC, as `20261120T120000Z`. */
export function calendarInstant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}
