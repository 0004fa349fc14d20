declare const epochMsBrand: unique symbol

/** An instant: whole milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number & { readonly [epochMsBrand]: true }

/** Marks a number of milliseconds since 1970 as an instant. */
export function epochMs(milliseconds: number): EpochMs {
  return Math.round(milliseconds) as EpochMs
}

/** The instant `milliseconds` after `instant` (before it, when negative). */
export function plusMs(instant: EpochMs, milliseconds: number): EpochMs {
  return epochMs(instant + milliseconds)
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** Reads an RFC 3339 date-time; null when it is none, or when it names no offset and so no instant. */
export function parseInstant(text: string): EpochMs | null {
  const day = RFC_3339.exec(text)?.[1]
  if (day === undefined) return null
  const midnight = Date.parse(day)
  // Date.parse carries the 31st of November over into December.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? null : epochMs(milliseconds)
}

/** ISO 8601 in UTC, as in `2026-11-20T23:53:37.000Z`. */
export function instantToIso(instant: EpochMs): string {
  return new Date(instant).toISOString()
}

/** Whole seconds from `now` to `instant`, rounded up; 0 once it has passed, null when there is none. */
export function secondsUntil(instant: EpochMs | null, now: EpochMs): number | null {
  if (instant === null) return null
  return Math.max(0, Math.ceil((instant - now) / 1000))
}
