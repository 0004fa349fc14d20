import { englishTimes } from './english-times.ts'
import type { TimeTexts } from './time-texts.ts'

/** Durations in English, for texts without a zone. */
export { countingDurationText, durationText } from './english-times.ts'
export { printable, printableJson, printableLines, withoutControls } from './printable.ts'
export type { TimeTexts } from './time-texts.ts'

/** Time texts of one zone in one language. Instants are milliseconds since 1970. Fast enough for thousands of instants at a time. */
export interface Zone extends Pick<TimeTexts, 'durationText' | 'countingDurationText'> {
  readonly displayTimezone: string
  /** The zone with its offset at `now`, as in `Asia/Shanghai (UTC+08:00)`. */
  zoneLabel(now: number): string
  /** The instant in the form used by payloads, as in `2026-11-20T23:53:37.000Z`. */
  iso(at: number): string
  /** `21:38`. */
  clockText(at: number): string
  /** `30 Nov 21:38`. */
  dateText(at: number): string
  /** Clock time near `now`: `21:38`. From 12 h away `Sun 09:00`, from a week `30 Nov 09:00`, from 300 days `30 Nov 2027 09:00`. */
  momentText(at: number, now: number): string
  /** The moment inside a sentence: `at 21:38`, `on Sun 09:00`. */
  whenText(at: number, now: number): string
  /** A recent moment to the second, for the middle of a sentence: `at 21:38:07`; from 12 h ago on like `whenText`. */
  justNowText(at: number, now: number): string
  /** `Sun 22`. */
  dayAndDateText(at: number): string
  /** The day of the week, as in `Tue`. */
  weekdayText(at: number): string
  /** Lead of the zone's clock over UTC at an instant, in milliseconds; negative west of Greenwich. */
  offsetMs(at: number): number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * Distances from which a clock time, a weekday or a date without a year is ambiguous. The first two are set in the dashboard's "Numbers and time".
 */
const CLOCK_MS_MAX = 12 * HOUR_MS
const WEEKDAY_MS_MAX = 7 * DAY_MS
const YEARLESS_MS_MAX = 300 * DAY_MS

/** Zones change their offset only at quarter hours of UTC. */
const OFFSET_BUCKET_MS = 15 * MINUTE_MS
const OFFSET_BUCKETS_MAX = 4096
/** Room for three instants (two resets and a sample) of each of ten thousand accounts. */
const INSTANTS_REMEMBERED_MAX = 30_000

/** 1970-01-01 was a Thursday. */
const WEEKDAY_OF_1970 = 4

/**
 * Creates the texts of one IANA zone, in English unless `times` says otherwise. Create once and keep. Throws RangeError for a zone the platform does
 * not know.
 */
export function createZone(displayTimezone: string, times: TimeTexts = englishTimes): Zone {
  // Creating a formatter takes longer than drawing a page.
  const formatter =
    displayTimezone === 'UTC'
      ? null
      : new Intl.DateTimeFormat('en-US', { timeZone: displayTimezone, timeZoneName: 'longOffset' })
  const offsetMinutesByBucket = new Map<number, number>()

  const offsetMinutesAt = (at: number): number => {
    if (formatter === null) return 0
    const bucket = Math.floor(at / OFFSET_BUCKET_MS)
    const known = offsetMinutesByBucket.get(bucket)
    if (known !== undefined) return known
    if (offsetMinutesByBucket.size >= OFFSET_BUCKETS_MAX) offsetMinutesByBucket.clear()
    const offsetMinutes = offsetMinutesIn(formatter.format(at))
    offsetMinutesByBucket.set(bucket, offsetMinutes)
    return offsetMinutes
  }
  // A reset is shown again in every snapshot until it passes.
  const localByInstant = new Map<number, LocalTime>()
  const localAt = (at: number): LocalTime => {
    const known = localByInstant.get(at)
    if (known !== undefined) return known
    if (localByInstant.size >= INSTANTS_REMEMBERED_MAX) localByInstant.clear()
    const local = localTimeOf(at, at + offsetMinutesAt(at) * MINUTE_MS, times)
    localByInstant.set(at, local)
    return local
  }

  const momentText = (at: number, now: number): string => {
    const { clock, weekday, date, year } = localAt(at)
    const awayMs = Math.abs(at - now)
    if (awayMs < CLOCK_MS_MAX) return clock
    if (awayMs < WEEKDAY_MS_MAX) return `${weekday} ${clock}`
    return `${awayMs < YEARLESS_MS_MAX ? date : times.withYear(date, year)} ${clock}`
  }

  const whenText = (at: number, now: number): string =>
    Math.abs(at - now) < CLOCK_MS_MAX
      ? times.atClock(momentText(at, now))
      : times.onDay(momentText(at, now))

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
      // No zone has an offset with seconds.
      return times.atClock(`${localAt(at).clock}:${isoText(at).slice(-7, -5)}`)
    },
    weekdayText: (at) => localAt(at).weekday,
    dayAndDateText(at) {
      const { weekday, day } = localAt(at)
      return times.weekdayAndDay(weekday, day)
    },
    offsetMs: (at) => offsetMinutesAt(at) * MINUTE_MS,
    durationText: times.durationText,
    countingDurationText: times.countingDurationText,
  }
}

/** Range of whole hours for a rough time, given its earliest and latest distance; a null end stays null. */
export function roughHours(
  earliestMs: number,
  latestMs: number | null,
): readonly [from: number, to: number | null] {
  const from = Math.floor(Math.max(0, earliestMs) / HOUR_MS)
  return [from, latestMs === null ? null : Math.max(from + 1, Math.ceil(latestMs / HOUR_MS))]
}

function isoText(at: number): string {
  return new Date(at).toISOString()
}

/** Instants from `fromMs` on and before `toMs` that are multiples of `everyMs` on the zone's clock. */
export function roundInstants(
  zone: Pick<Zone, 'offsetMs'>,
  everyMs: number,
  fromMs: number,
  toMs: number,
): readonly number[] {
  const offsetMs = zone.offsetMs(fromMs)
  const found: number[] = []
  for (
    let at = Math.ceil((fromMs + offsetMs) / everyMs) * everyMs - offsetMs;
    at < toMs;
    at += everyMs
  )
    found.push(at)
  return found
}

/** Whole percent; `<1%` for values between 0 and 1. */
export function percentText(percent: number): string {
  return percent > 0 && percent < 1 ? '<1%' : `${Math.round(percent)}%`
}

/** Rounds to three decimals, because sums of shares have endless digits. */
export function roundedUnits(units: number): number {
  return Math.round(units * 1000) / 1000
}

/**
 * Plus units with one decimal; `<0.1` for smaller positive amounts. Gives the same text before and after `roundedUnits`, so that texts and numbers
 * agree.
 */
export function unitsText(units: number): string {
  const text = roundedUnits(units).toFixed(1)
  return units > 0 && text === '0.0' ? '<0.1' : text.replace(/\d(?=(?:\d{3})+\.)/g, '$&,')
}

/** Plus units of the parts of `whole` with one decimal, rounded so that their texts add up to that of `whole`. */
export function partsText(parts: readonly number[], whole: number): readonly string[] {
  const tenths = apportioned(
    parts.map((units) => units * 10),
    shownTenths(whole),
  )
  return parts.map((units, index) => partText(units, tenths[index] ?? 0))
}

/** The parts of `whole` with three decimals, rounded so that they add up to `whole`, which `roundedUnits` has rounded. */
export function apportionedUnits(parts: readonly number[], whole: number): readonly number[] {
  const thousandths = apportioned(
    parts.map((units) => units * 1000),
    Math.round(whole * 1000),
  )
  return thousandths.map((each) => each / 1000)
}

/** Whole numbers that add up to `whole`: the parts rounded down, except those with the largest rests. */
function apportioned(parts: readonly number[], whole: number): readonly number[] {
  const floors = parts.map((part) => Math.floor(part + EXACT))
  const missing = whole - floors.reduce((all, each) => all + each, 0)
  const byRest = parts
    .map((part, index) => ({ index, rest: part - (floors[index] ?? 0) }))
    .sort((one, other) => other.rest - one.rest)
  const raised = new Set(byRest.slice(0, missing).map(({ index }) => index))
  return floors.map((floor, index) => floor + Number(raised.has(index)))
}

/** Plus units of one window; `stale` is the part of `usable` that rests on stale readings. */
interface CapacityUnits {
  readonly usable: number
  readonly stale: number
  readonly held: number
}

/**
 * Texts of the parts of the quota left in a window. As shown, `measured` and `stale` add up to the usable quota, and usable quota and `held` to the
 * known quota.
 */
export function capacityTexts({ usable, stale, held }: CapacityUnits) {
  const [measured = '', staleText = ''] = partsText([usable - stale, stale], usable)
  return {
    measured,
    stale: staleText,
    held: partText(held, heldTenths({ usableUnits: usable, heldUnits: held })),
  }
}

/** Tenths of held quota that are shown, so that with the usable quota they add up to the known one. */
export function heldTenths(of: {
  readonly usableUnits: number
  readonly heldUnits: number
}): number {
  return shownTenths(of.usableUnits + of.heldUnits) - shownTenths(of.usableUnits)
}

function partText(units: number, tenths: number): string {
  return unitsText(units > 0 && tenths === 0 ? Number.MIN_VALUE : tenths / 10)
}

/** Tenths that `unitsText` shows. */
function shownTenths(units: number): number {
  return Math.round(10 * Number(roundedUnits(units).toFixed(1)))
}

/** Tolerance for floating-point errors in sums of tenths. */
const EXACT = 1e-9

/** Plus units known to be whole, without `.0`. */
export function wholeUnitsText(units: number): string {
  return unitsText(units).replace(/\.0$/, '')
}

/** `1,204`. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `950`, `12.4k`, `26.0M`, `2.0B`, rounded half up; a value that rounds to 1,000 of a unit is shown in the next unit. */
export function compactText(count: number): string {
  const scale = SCALES.find(({ from }) => tenthsOf(count, from / 1000) >= 10_000)
  return scale === undefined
    ? String(Math.round(count))
    : `${(tenthsOf(count, scale.from) / 10).toFixed(1)}${scale.suffix}`
}

/** `$1,204.50`; up to four decimals below a dollar, as in `$0.0042`, and `<$0.0001` for less. */
export function usdText(usd: number): string {
  if (usd > 0 && usd < 0.00005) return '<$0.0001'
  const text = usd < 1 ? usd.toFixed(4).replace(/0{1,2}$/, '') : usd.toFixed(2)
  return `$${text.replace(/\d(?=(?:\d{3})+\.)/g, '$&,')}`
}

/** A size, as in `1.5GB`. */
export function bytesText(bytes: number): string {
  return `${compactText(bytes).replace(/B$/, 'G')}B`
}

/** Amount in tenths of `unit`, rounded to the nearest. */
export function tenthsOf(count: number, unit: number): number {
  return Math.round((count * 10) / unit)
}

const SCALES = [
  { from: 1e12, suffix: 'T' },
  { from: 1e9, suffix: 'B' },
  { from: 1e6, suffix: 'M' },
  { from: 1e3, suffix: 'k' },
] as const

/** `1 account`, `1,204 accounts`. */
export function countedText(count: number, noun: string, plural = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : plural}`
}

/** The word with a capital first letter. */
export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

interface LocalTime {
  readonly iso: string
  readonly clock: string
  readonly weekday: string
  readonly day: number
  readonly date: string
  readonly year: string
}

/** Local time of `at`. `shifted`: `at` plus the zone's offset, so that its UTC fields are the local time. */
function localTimeOf(at: number, shifted: number, times: TimeTexts): LocalTime {
  // Counted from the end, because the year may have more than four digits.
  const local = isoText(shifted)
  const day = Number(local.slice(-16, -14))
  return {
    iso: isoText(at),
    clock: local.slice(-13, -8),
    weekday: times.weekdays.at((Math.floor(shifted / DAY_MS) + WEEKDAY_OF_1970) % 7) ?? '',
    day,
    date: times.dayAndMonth(day, Number(local.slice(-19, -17))),
    year: local.slice(0, -20),
  }
}

/** Offset in minutes of a formatted date such as `11/21/2026, GMT+05:45`. */
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
