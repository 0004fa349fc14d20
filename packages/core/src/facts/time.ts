declare const epochMsBrand: unique symbol

/** An instant: whole milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number & { readonly [epochMsBrand]: true }

/** A span of time: includes `from`, excludes `to`. */
export interface Stretch {
  readonly from: EpochMs
  readonly to: EpochMs
}

/** A minute in milliseconds. */
export const MINUTE_MS = 60_000
/** An hour in milliseconds. */
export const HOUR_MS = 60 * MINUTE_MS
/** A day of 24 hours in milliseconds. */
export const DAY_MS = 24 * HOUR_MS

/** Marks a number of milliseconds since 1970 as an instant. */
export function epochMs(milliseconds: number): EpochMs {
  return Math.round(milliseconds) as EpochMs
}

/** The instant `milliseconds` after `instant` (before it, when negative). */
export function plusMs(instant: EpochMs, milliseconds: number): EpochMs {
  return epochMs(instant + milliseconds)
}

const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/** Reads an RFC 3339 date-time; null if the text is not one, or has no offset and so names no instant. Digits below a millisecond are cut off. */
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

/** ISO 8601 in UTC, as in `2026-11-20T23:53:37.000Z`. */
export function instantToIso(instant: EpochMs): string {
  return new Date(instant).toISOString()
}

/** The instant in the form of an HTTP header: `Fri, 20 Nov 2026 23:53:37 GMT`. */
export function instantToHttpDate(instant: EpochMs): string {
  return new Date(instant).toUTCString()
}

/** Whole seconds from `now` to `instant`, rounded up; 0 once it has passed, null without an instant. */
export function secondsUntil(instant: EpochMs | null, now: EpochMs): number | null {
  if (instant === null) return null
  return Math.max(0, Math.ceil((instant - now) / 1000))
}
