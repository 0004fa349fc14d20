import { type EpochMs, plusMs, type QuotaSample, type WindowReading } from '@svc/core'
import { isMainWindow } from '@svc/core/service'
import {
  displayText,
  instantFrom,
  isRecord,
  numberFrom,
  recordIn,
  textFrom,
  type WireRecord,
} from '../../wire/wire-fields.ts'
import {
  EMPTY_SAMPLE,
  percentLeft,
  unknownNamesOf,
  windowOfLength,
} from '../contract/quota-answer.ts'

type NamedWindow = Pick<WindowReading, 'id' | 'periodSeconds' | 'label'>
/** A window in one half of the document, with its fields; the window is null if its name or length is unknown. */
type Entry = readonly [window: NamedWindow | null, fields: unknown]

const DAY_SECONDS = 86_400
/** Seconds by the name of a unit, without the prefix `TIME_UNIT_`. */
const secondsByUnit: Readonly<Record<string, number>> = { MINUTE: 60, HOUR: 3600, DAY: DAY_SECONDS }
const WEEK = windowOfLength(7 * DAY_SECONDS)
const MONTH = windowOfLength(30 * DAY_SECONDS)
const windowByRatioName = new Map<string, NamedWindow>([
  ['limit_5h', windowOfLength(5 * 3600)],
  ['limit_7d', WEEK],
  ['limit_month_total', MONTH],
  ['limit_month_code', { ...MONTH, id: 'code:month', label: 'Code' }],
])
const LIMITS_MAX = 32
const PLAN_LENGTH_MAX = 64
/** Longest window and longest time to a reset; larger values are misread numbers. */
const PERIOD_SECONDS_MAX = 366 * DAY_SECONDS
/** Points of percent by which two figures of a window may differ through rounding. */
const ROUNDING_POINTS_MAX = 2

/** Reads a usages document; null for anything else. Either half may be outdated, so the higher use counts. See docs/upstream.md#kimi-quota. */
export function kimiQuotaSampleOf(wire: unknown, sampledAt: EpochMs): QuotaSample | null {
  const { user, usage, limits, usages } = recordIn(wire)
  if ([user, usage, limits, usages].every((part) => part === undefined)) return null
  const entries = entriesIn({ usage, limits, usages })
  const windows = leastLeftOfEach(entries.flatMap((entry) => readingsOf(entry, sampledAt))).map(
    (reading) => ({ ...reading, resetAt: reading.resetAt ?? resetIn(entries, reading, sampledAt) }),
  )
  const unread = entries.filter(([window]) =>
    window === null ? true : isMainWindow(window.id) && !windows.some(({ id }) => id === window.id),
  )
  const { userId, membership } = recordIn(user)
  const level = textFrom(recordIn(membership).level)?.replace(/^LEVEL_/i, '') ?? ''
  return {
    ...EMPTY_SAMPLE,
    sampledAt,
    // The raw level: the names published for the levels contradict each other.
    plan: textFrom(displayText(level.toLowerCase(), PLAN_LENGTH_MAX)),
    windows,
    unreadableWindowCount: unread.length,
    ...(entries.length === 0 && { reportsNone: true }),
    ...unknownNamesOf(Object.keys(recordIn(usages)).filter((name) => !windowByRatioName.has(name))),
    ...(typeof userId === 'string' && userId !== '' && { vendorIdentity: userId }),
  }
}

function entriesIn({ usage, limits, usages }: WireRecord): readonly Entry[] {
  const ratios = isRecord(usages) ? usages : { limit_unreadable: usages }
  return [
    ...listOf(usage).map((week): Entry => [WEEK, week]),
    ...listOf(limits)
      .slice(0, LIMITS_MAX)
      .map(recordIn)
      .map(({ window, detail }): Entry => [windowFrom(recordIn(window)), detail]),
    ...Object.entries(ratios)
      .filter(([name, ratio]) => name.startsWith('limit_') && listOf(ratio).length > 0)
      .map(([name, ratio]): Entry => [windowByRatioName.get(name) ?? null, ratio]),
  ]
}

function windowFrom({ duration, timeUnit }: WireRecord): NamedWindow | null {
  const unit = textFrom(timeUnit)?.replace('TIME_UNIT_', '') ?? ''
  const seconds = (numberFrom(duration) ?? 0) * (secondsByUnit[unit] ?? 0)
  return seconds >= 1 && seconds <= PERIOD_SECONDS_MAX ? windowOfLength(seconds) : null
}

/** One reading for each figure; none if the entry is unreadable. The vendor omits zeros, so either `used` or `remaining` is enough. */
function readingsOf([window, wire]: Entry, sampledAt: EpochMs): readonly WindowReading[] {
  const fields = recordIn(wire)
  const limit = numberFrom(fields.limit) ?? 0
  const used = numberFrom(fields.used)
  const remaining = numberFrom(fields.remaining)
  const ratios = [
    numberFrom(fields.used_ratio),
    limit > 0 && used !== null ? used / limit : null,
    limit > 0 && remaining !== null && remaining >= 0 ? (limit - remaining) / limit : null,
  ]
  const resetAt = resetAtIn(fields, sampledAt)
  return ratios.flatMap((ratio) => {
    const percent = percentLeft(ratio === null ? null : ratio * 100)
    return window === null || percent === null ? [] : { ...window, percent, resetAt }
  })
}

/** The reset of a window, taken from an entry without a usable figure. */
function resetIn(entries: readonly Entry[], { id }: WindowReading, sampledAt: EpochMs) {
  const ofIt = entries.filter(([window]) => window?.id === id)
  return ofIt.map(([, wire]) => resetAtIn(recordIn(wire), sampledAt)).find(Boolean) ?? null
}

function resetAtIn(fields: WireRecord, sampledAt: EpochMs): EpochMs | null {
  const { reset_at, resetAt, reset_time, resetTime, reset_in, resetIn, ttl } = fields
  const wait = [reset_in, resetIn, ttl].map(numberFrom).find((seconds) => seconds !== null) ?? -1
  const afterWait = wait < 0 ? null : plusMs(sampledAt, wait * 1000)
  const latest = plusMs(sampledAt, PERIOD_SECONDS_MAX * 1000)
  const instants = [reset_at, resetAt, reset_time, resetTime, afterWait].map(instantFrom)
  return instants.find((instant) => instant !== null && instant <= latest) ?? null
}

function leastLeftOfEach(readings: readonly WindowReading[]): readonly WindowReading[] {
  const byId = new Map<string, WindowReading>()
  for (const reading of readings) {
    const found = byId.get(reading.id) ?? reading
    const [less, more] = reading.percent < found.percent ? [reading, found] : [found, reading]
    const points = Math.round(10 * (more.percent - less.percent)) / 10
    const note = points > ROUNDING_POINTS_MAX && { note: 'sources_disagree' as const }
    byId.set(less.id, { ...more, ...less, resetAt: less.resetAt ?? more.resetAt, ...note })
  }
  return [...byId.values()]
}

/** Converts a single value to a list of one, and a missing value to an empty list. */
function listOf(wire: unknown): readonly unknown[] {
  return wire === undefined || wire === null ? [] : [wire].flat()
}
