declare const epochMsBrand: unique symbol

/** A time in whole milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number & { readonly [epochMsBrand]: true }

/** A span of time, from `from` (inclusive) to `to` (exclusive). */
export interface Interval {
  readonly from: EpochMs
  readonly to: EpochMs
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
/** A day of 24 hours in milliseconds. */
export const DAY_MS = 24 * HOUR_MS

/** Marks a number of milliseconds since 1970 as an instant. */
export function epochMs(milliseconds: number): EpochMs {
  return Math.round(milliseconds) as EpochMs
}

/** The time `milliseconds` after `instant`, or before it if negative. */
export function plusMs(instant: EpochMs, milliseconds: number): EpochMs {
  return epochMs(instant + milliseconds)
}

/** The earliest known instant; null if none is known. */
export function firstInstant(instants: readonly (EpochMs | null)[]): EpochMs | null {
  const known = instants.filter((at) => at !== null)
  return known.length === 0 ? null : (Math.min(...known) as EpochMs)
}

/** The latest known instant; null if none is known. */
export function lastInstant(instants: readonly (EpochMs | null)[]): EpochMs | null {
  const known = instants.filter((at) => at !== null)
  return known.length === 0 ? null : (Math.max(...known) as EpochMs)
}

const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/** Parses an RFC 3339 date-time; null if the text is invalid or has no offset. Digits below a millisecond are dropped. */
export function parseInstant(text: string): EpochMs | null {
  const parts = RFC_3339.exec(text)
  if (parts === null) return null
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = '',
    sign,
    offsetHours = '0',
    offsetMinutes = '0',
  ] = parts
  // Read part by part: Date.parse of a string costs twice as much, and there are thousands a second.
  const midnight = Date.UTC(2000 + (Number(year) % 400), Number(month) - 1, Number(day))
  // The calendar repeats every 400 years. Date.UTC carries the 31st of November over into December.
  if (new Date(midnight).getUTCDate() !== Number(day)) return null
  const cycles = (Number(year) - 2000 - (Number(year) % 400)) / 400
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const minutes = Number(hour) * 60 + Number(minute) - offset
  return epochMs(
    midnight +
      cycles * CALENDAR_CYCLE_MS +
      (minutes * 60 + Number(second)) * 1000 +
      Number(fraction.slice(0, 3).padEnd(3, '0')),
  )
}

const CALENDAR_CYCLE_MS = 146_097 * DAY_MS

/** ISO 8601 in UTC, such as `2026-11-20T23:53:37.000Z`. */
export function instantToIso(instant: EpochMs): string {
  return new Date(instant).toISOString()
}

/** Date format of HTTP headers, such as `Fri, 20 Nov 2026 23:53:37 GMT`. */
export function instantToHttpDate(instant: EpochMs): string {
  return new Date(instant).toUTCString()
}

/** Whole seconds from `now` to `instant`, rounded up; 0 once it has passed, null without an instant. */
export function secondsUntil(instant: EpochMs | null, now: EpochMs): number | null {
  if (instant === null) return null
  return Math.max(0, Math.ceil((instant - now) / 1000))
}

/** Reason our clock is not trusted: the source that contradicts it, and the difference. */
export interface ClockDoubt {
  readonly reason: 'proxy' | 'jump' | 'records'
  /** Our clock minus the contradicting source, in whole seconds; negative if ours is behind. */
  readonly aheadSeconds: number
}

const IMF_FIXDATE = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Parses the current HTTP date format, such as `Fri, 20 Nov 2026 23:53:37 GMT`; null for anything else. Source: RFC 9110 5.6.7. */
export function parseHttpDate(text: string | null): EpochMs | null {
  const [, day, monthName = '', year, time] = IMF_FIXDATE.exec(text ?? '') ?? []
  const month = MONTHS.indexOf(monthName) + 1
  return month === 0
    ? null
    : parseInstant(`${year}-${String(month).padStart(2, '0')}-${day}T${time}Z`)
}

/** Shortest wait, in seconds, that another server can request. See docs/limits.md#retry-after. */
export const RETRY_AFTER_SECONDS_MIN = 1
/** Longest wait, in seconds, that another server can request. */
export const RETRY_AFTER_SECONDS_MAX = 3600

const NON_NEGATIVE_NUMBER = /^\d{1,16}(?:\.\d{1,9})?(?:e\d{1,2})?$/i

/**
 * Seconds requested by `Retry-After`, 1..3600; null if it is missing, negative or unreadable. A date is relative to the answer's own `Date`, so that
 * wrong clocks do not matter, or to `now` if there is none.
 */
export function retryAfterSecondsOf(
  headers: { get(name: string): string | null },
  now: EpochMs,
): number | null {
  const text = headers.get('retry-after')?.trim() ?? ''
  const seconds = NON_NEGATIVE_NUMBER.test(text)
    ? Number(text)
    : secondsUntilDate(text, parseHttpDate(headers.get('date')) ?? now)
  if (seconds === null || seconds < 0) return null
  return Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(RETRY_AFTER_SECONDS_MIN, Math.ceil(seconds)))
}

function secondsUntilDate(text: string, from: EpochMs): number | null {
  const date = parseHttpDate(text)
  return date === null ? null : (date - from) / 1000
}
