import {
  type EpochMs,
  instantToIso,
  isMainWindow,
  isMainWindowId,
  mainWindowOf,
  plusMs,
  type RefreshState,
  type Trends,
  type UsageReading,
  type WindowId,
} from '@svc/core'

/** Times as people in one zone read them. Cheap enough for thousands of instants per snapshot. */
export interface WireText {
  readonly displayTimezone: string
  /** The zone with the offset in force at `now`, as in `Asia/Shanghai (UTC+08:00)`. */
  zoneLabel(now: EpochMs): string
  /** The instant as payloads carry it, as in `2026-11-20T23:53:37.000Z`. */
  iso(at: EpochMs): string
  /** `21:38`. */
  clockText(at: EpochMs): string
  /** `30 Nov 21:38`. */
  dateText(at: EpochMs): string
  /** `21:38`; 12 h away or more `Sun 09:00`, a week or more `30 Nov 09:00`, most of a year or more `30 Nov 2027 09:00`. */
  momentText(at: EpochMs, now: EpochMs): string
  /** The moment inside a sentence: `at 21:38`, `on Sun 09:00`. */
  whenText(at: EpochMs, now: EpochMs): string
  /** A moment that has just been, inside a sentence and to the second: `at 21:38:07`; 12 h ago or more as `whenText`. */
  justNowText(at: EpochMs, now: EpochMs): string
}

/** What a payload needs besides the snapshot. */
export interface ViewContext {
  readonly text: WireText
}

/** What a payload that also shows usage needs. */
export interface UsageContext extends ViewContext {
  readonly usage: UsageReading
  readonly trends: Trends
}

/** What the status needs. */
export interface StatusContext extends UsageContext {
  readonly refresh: RefreshState
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** From how far away a bare clock time, a weekday and a date without its year mislead. The first two: dashboard, "Numbers and time". */
const CLOCK_MS_MAX = 12 * HOUR_MS
const WEEKDAY_MS_MAX = 7 * DAY_MS
const YEARLESS_MS_MAX = 300 * DAY_MS

/** No zone changes its offset inside a quarter of an hour of UTC. */
const OFFSET_BUCKET_MS = 15 * MINUTE_MS
const OFFSET_BUCKETS_MAX = 4096
/** Two resets and a sample of each of ten thousand accounts. */
const INSTANTS_REMEMBERED_MAX = 30_000

/** 1970-01-01 was a Thursday. */
const WEEKDAYS = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The texts of one IANA zone. Create it once and keep it. Throws RangeError for a zone the platform does not know. */
export function createWireText(displayTimezone: string): WireText {
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone: displayTimezone, timeZoneName: 'longOffset' })
  const offsetMinutesByBucket = new Map<number, number>()

  const offsetMinutesAt = (at: EpochMs): number => {
    const bucket = Math.floor(at / OFFSET_BUCKET_MS)
    const known = offsetMinutesByBucket.get(bucket)
    if (known !== undefined) return known
    if (offsetMinutesByBucket.size >= OFFSET_BUCKETS_MAX) offsetMinutesByBucket.clear()
    const offsetMinutes = offsetMinutesIn(formatter.format(at))
    offsetMinutesByBucket.set(bucket, offsetMinutes)
    return offsetMinutes
  }
  // A reset is shown again in every snapshot until it has passed.
  const localByInstant = new Map<EpochMs, LocalTime>()
  const localAt = (at: EpochMs): LocalTime => {
    const known = localByInstant.get(at)
    if (known !== undefined) return known
    if (localByInstant.size >= INSTANTS_REMEMBERED_MAX) localByInstant.clear()
    const local = localTimeOf(at, plusMs(at, offsetMinutesAt(at) * MINUTE_MS))
    localByInstant.set(at, local)
    return local
  }

  const momentText = (at: EpochMs, now: EpochMs): string => {
    const { clock, weekday, date, year } = localAt(at)
    const awayMs = Math.abs(at - now)
    if (awayMs < CLOCK_MS_MAX) return clock
    if (awayMs < WEEKDAY_MS_MAX) return `${weekday} ${clock}`
    return awayMs < YEARLESS_MS_MAX ? `${date} ${clock}` : `${date} ${year} ${clock}`
  }

  const whenText = (at: EpochMs, now: EpochMs): string => `${Math.abs(at - now) < CLOCK_MS_MAX ? 'at' : 'on'} ${momentText(at, now)}`

  return {
    displayTimezone,
    zoneLabel: (now) => `${displayTimezone} (UTC${offsetText(offsetMinutesAt(now))})`,
    iso: (at) => localAt(at).iso,
    clockText: (at) => localAt(at).clock,
    dateText(at) {
      const { clock, date } = localAt(at)
      return `${date} ${clock}`
    },
    momentText,
    whenText,
    justNowText(at, now) {
      if (Math.abs(at - now) >= CLOCK_MS_MAX) return whenText(at, now)
      // No zone is off by seconds.
      return `at ${localAt(at).clock}:${instantToIso(at).slice(-7, -5)}`
    },
  }
}

/** Time left or gone, rounded down: `41min`, `3h 05min`, `2d 4h`, and `<1min` below a minute. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(Math.max(0, seconds) / 60)
  if (minutes < 1) return '<1min'
  if (minutes < 60) return `${minutes}min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours}h ${twoDigits(minutes % 60)}min`
  return `${Math.floor(hours / 24)}d ${hours % 24}h`
}

/** Whole percent, `<1%` for anything between nothing and one. */
export function percentText(percent: number): string {
  return percent > 0 && percent < 1 ? '<1%' : `${Math.round(percent)}%`
}

/** Plus units with one decimal, `<0.1` for less than it can show. */
export function unitsText(units: number): string {
  const text = units.toFixed(1)
  return units > 0 && text === '0.0' ? '<0.1' : text
}

/** Plus units that are whole by nature, without `.0`. */
export function wholeUnitsText(units: number): string {
  return unitsText(units).replace(/\.0$/, '')
}

/** `1,204`. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 account`, `1,204 accounts`. */
export function countedText(count: number, noun: string, plural = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : plural}`
}

/** A window as shown: `5h`, `Weekly`, `Code review weekly`. */
export function windowLabel(id: WindowId): string {
  if (isMainWindow(id)) return mainWindowLabel(id)
  const parts = id.split(':')
  const kind = parts.at(-1) ?? id
  const scope = parts[0] === 'extra' ? parts.slice(1, -1).join(':') : (parts[0] ?? '')
  return `${capitalised(scope.replaceAll('_', ' '))} ${mainWindowLabel(kind).toLowerCase()}`
}

/** The first letter large, the rest as it is. */
export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function mainWindowLabel(kind: string): string {
  if (isMainWindowId(kind)) return mainWindowOf(kind).label
  switch (kind) {
    case 'month':
      return 'Monthly'
    case 'spend':
      return 'Spending limit'
    case 'limit':
      return 'Limit'
    default:
      return /^\d+s$/.test(kind) ? durationText(Number.parseInt(kind, 10)) : kind
  }
}

interface LocalTime {
  readonly iso: string
  readonly clock: string
  readonly weekday: string
  readonly date: string
  readonly year: string
}

/** `shifted` is the instant whose UTC clock reads what the local one shows. */
function localTimeOf(at: EpochMs, shifted: EpochMs): LocalTime {
  // Counted from the end, because the year may have more than four digits.
  const local = instantToIso(shifted)
  return {
    iso: instantToIso(at),
    clock: local.slice(-13, -8),
    weekday: WEEKDAYS.at(Math.floor(shifted / DAY_MS) % 7) ?? '',
    date: `${Number(local.slice(-16, -14))} ${MONTHS[Number(local.slice(-19, -17)) - 1] ?? ''}`,
    year: local.slice(0, -20),
  }
}

/** Reads the offset off a formatted date such as `11/21/2026, GMT+05:45`. */
function offsetMinutesIn(formatted: string): number {
  const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(formatted) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function offsetText(offsetMinutes: number): string {
  const minutes = Math.abs(offsetMinutes)
  return `${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
