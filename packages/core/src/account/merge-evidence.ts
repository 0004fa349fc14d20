import {
  hasMarks,
  marksOf,
  type QuotaSample,
  type ReadingOrigin,
  type WindowReading,
} from '../facts/reading.ts'
import type { StatusMessage } from '../facts/status-message.ts'
import { type EpochMs, epochMs, MINUTE_MS } from '../facts/time.ts'
import { isMainWindow, isMainWindowId, mainWindows, type WindowId } from '../facts/window.ts'
import {
  absentWindow,
  type DatedReading,
  type EvidenceAge,
  type QuotaWindow,
  unknownWindow,
  windowNow,
} from './quota-window.ts'

/**
 * Largest difference between the reset in a usage-limit message and a window's reset at which the message refers to that window. See
 * docs/rules.md#usage-limit-messages.
 */
export const MESSAGE_RESET_DRIFT_MS = 5 * MINUTE_MS

/** Rank of origins for readings of the same time; the lower one wins. See docs/rules.md#merging-readings. */
const ORIGIN_RANK: Readonly<Record<ReadingOrigin, number>> = {
  direct: 0,
  headers: 1,
  'error-body': 2,
  'status-message': 3,
}

/** The current windows of an account, each from its newest reading: `mainWindows` first, in their order. */
export function mergeEvidence(
  samples: readonly QuotaSample[],
  message: StatusMessage,
  age: EvidenceAge,
): readonly QuotaWindow[] {
  const newestById = newestReadings(withOneId(samples.flatMap(readingsOf)))
  const fromMessage = readingOfMessage(message, newestById.values())
  if (fromMessage !== null)
    newestById.set(fromMessage.id, newerOf(newestById.get(fromMessage.id), fromMessage))

  const listing = newestFullListing(samples)
  placeRefusal(newestById, listing?.sampledAt ?? epochMs(0))
  const allowedAt = lastAllowedAt(samples)
  const windowAt = (id: WindowId): QuotaWindow | null => {
    const reading = newestById.get(id)
    // A newer answer lists every window of the plan but not this one.
    if (listing !== null && (reading === undefined || reading.sampledAt < listing.sampledAt))
      return absentWindow(id, listing, age)
    const settled = reading === undefined ? null : settledBy(allowedAt, reading)
    return settled === null ? null : windowNow(settled, age)
  }

  const further = [...newestById.keys()].filter((id) => !isMainWindowId(id)).sort(byMainThenId)
  return [
    ...mainWindows.map(({ id }) => windowAt(id) ?? unknownWindow(id)),
    ...further.map(windowAt).filter((window) => window !== null && window.state !== 'absent'),
  ] as readonly QuotaWindow[]
}

/** A usage-limit message as a sample; null if it matches no window of these samples. */
export function sampleOfMessage(
  message: StatusMessage,
  samples: readonly QuotaSample[],
): QuotaSample | null {
  const known = newestReadings(samples.flatMap(readingsOf))
  const reading = readingOfMessage(message, known.values())
  if (reading === null) return null
  const { id, periodSeconds, percent, resetAt, origin, sampledAt } = reading
  return {
    origin,
    sampledAt,
    plan: null,
    windows: [{ id, periodSeconds, percent, resetAt }],
    unreadableWindowCount: 0,
    limitReached: false,
    spendReached: null,
  }
}

/** Time of the newest sample that tells whether requests are served, if it says so; null otherwise. */
function lastAllowedAt(samples: readonly QuotaSample[]): EpochMs | null {
  let newest: QuotaSample | null = null
  for (const sample of samples)
    if (sample.limitReached || sample.allowed === true) newest = newerSample(newest, sample)
  return newest === null || newest.limitReached ? null : newest.sampledAt
}

/** The newest direct sample; null without one. */
export function newestDirectSample(samples: readonly QuotaSample[]): QuotaSample | null {
  let newest: QuotaSample | null = null
  for (const sample of samples) if (sample.origin === 'direct') newest = newerSample(newest, sample)
  return newest
}

export function newestSample(samples: readonly QuotaSample[]): QuotaSample | null {
  return samples.reduce<QuotaSample | null>(newerSample, null)
}

/** True if the sample lists at least one main window, and none of them is used up and blocks requests. */
export function showsQuotaLeft(sample: QuotaSample): boolean {
  const main = readingsOf(sample).filter((reading) => isMainWindow(reading.id))
  return main.length > 0 && main.every((reading) => !reading.exhausted || reading.blocksNothing)
}

/** True if the sample says, in words or by a percentage, that the account is used up. */
export function isUsedUp(sample: QuotaSample): boolean {
  return readingsOf(sample).some(
    ({ id, exhausted, blocksNothing }) => exhausted && isMainWindow(id) && !blocksNothing,
  )
}

/**
 * The windows of one limit that refuses requests, with the refusing one marked as used up: if no window is at 0, the named one, else the one with the
 * least left. See docs/rules.md#words-of-a-vendor.
 */
export function refusedWindows<Reading extends Pick<WindowReading, 'id' | 'percent'>>(
  windows: readonly Reading[],
  usedUp: (window: Reading) => Reading,
  named: WindowId | null = null,
): readonly Reading[] {
  if (windows.some(({ percent }) => percent <= 0)) return windows
  const least = windows.reduce<Reading | undefined>(
    (found, window) => (found === undefined || window.percent < found.percent ? window : found),
    undefined,
  )
  const meant = windows.find(({ id }) => id === named) ?? least
  return windows.map((window) => (window === meant ? usedUp(window) : window))
}

function newerSample(found: QuotaSample | null, sample: QuotaSample): QuotaSample {
  if (found === null || sample.sampledAt > found.sampledAt) return sample
  const outranks =
    sample.sampledAt === found.sampledAt && ORIGIN_RANK[sample.origin] < ORIGIN_RANK[found.origin]
  return outranks ? sample : found
}

/** A sample's readings, with a reached limit attributed to the window that caused it. See docs/rules.md#windows. */
function readingsOf(sample: QuotaSample): readonly DatedReading[] {
  // Written out, like the windows below: objects made by spreading are slow to make and to read, and this runs for every account in each evaluation.
  const dated = (reading: WindowReading, exhausted: boolean): DatedReading => {
    const { id, periodSeconds, percent, resetAt } = reading
    const unmarked = {
      id,
      periodSeconds,
      percent,
      resetAt,
      exhausted: exhausted || percent <= 0,
      origin: sample.origin,
      sampledAt: sample.sampledAt,
    }
    return hasMarks(reading) ? { ...unmarked, ...marksOf(reading) } : unmarked
  }
  const readings = sample.windows.map((reading) => dated(reading, false))
  if (sample.spendReached !== null) {
    const spend = {
      id: SPEND,
      periodSeconds: null,
      percent: 0,
      resetAt: sample.spendReached.resetAt,
      ...(sample.allowed === true && { blocksNothing: true as const }),
    }
    readings.push(dated(spend, true))
  }

  if (!sample.limitReached) return readings
  const main = readings.filter((reading) => isMainWindow(reading.id))
  if (main.some((reading) => reading.exhausted)) return readings
  // The vendor refuses requests but names no window: report the refusal without inventing a window.
  if (main.length === 0)
    return [...readings, dated({ id: LIMIT, periodSeconds: null, percent: 0, resetAt: null }, true)]
  const refused = refusedWindows(main, (reading) => ({ ...reading, exhausted: true }))
  return [...refused, ...readings.filter((reading) => !isMainWindow(reading.id))]
}

const SPEND = 'spend'
/** Window of a refusal that lists no other window. */
const LIMIT = 'limit'

/** Attributes a refusal without windows to the current windows of other answers. Readings older than `since` do not count. */
function placeRefusal(newestById: Map<WindowId, DatedReading>, since: EpochMs): void {
  const limit = newestById.get(LIMIT)
  if (limit === undefined) return
  const { sampledAt, origin } = limit
  const open = [...newestById.values()].filter(
    (reading) =>
      reading !== limit &&
      isMainWindow(reading.id) &&
      reading.blocksNothing !== true &&
      reading.sampledAt >= since &&
      (reading.resetAt === null || reading.resetAt > sampledAt),
  )
  if (sampledAt < since || open.length === 0) return
  newestById.delete(LIMIT)
  if (open.some((reading) => reading.exhausted)) return
  const usedUp = (reading: DatedReading) => ({ ...reading, exhausted: true, sampledAt, origin })
  for (const reading of refusedWindows(open, usedUp)) newestById.set(reading.id, reading)
}

/**
 * A reading corrected by the vendor's latest verdict. A reading taken after its own reset time keeps its percent, and its next reset is unknown. A
 * window that is used up without a coming reset, or only by the vendor's verdict, stays used up until the vendor reports that it serves requests
 * again.
 */
function settledBy(allowedAt: EpochMs | null, reading: DatedReading): DatedReading | null {
  const { id, sampledAt, exhausted, percent } = reading
  const resetAt = reading.resetAt !== null && reading.resetAt > sampledAt ? reading.resetAt : null
  const isCurrent = allowedAt === null || allowedAt < sampledAt || !isMainWindow(id) || !exhausted
  if (isCurrent) return resetAt === reading.resetAt ? reading : { ...reading, resetAt }
  if (id === SPEND) return { ...reading, resetAt, blocksNothing: true }
  if (id === LIMIT) return null
  if (percent > 0) return { ...reading, resetAt, exhausted: allowedAt === sampledAt }
  // Served with nothing left: the window has started again.
  const isOver = resetAt === null && (reading.resetAt !== null || allowedAt > sampledAt)
  return { ...reading, resetAt: isOver ? (reading.resetAt ?? allowedAt) : resetAt }
}

const EXTRA = 'extra:'

/**
 * Readings with one id per limit, because direct answers identify it by key and headers by name: the direct reading's id, or else the first in order.
 */
function withOneId(readings: readonly DatedReading[]): readonly DatedReading[] {
  const named = readings.filter(({ id, label }) => label !== undefined && id.startsWith(EXTRA))
  if (named.length < 2 || new Set(named.map(({ id }) => id)).size < 2) return readings
  const nameOf = ({ id, label = '' }: DatedReading) =>
    label.toLowerCase() + id.slice(id.lastIndexOf(':'))
  const rankOf = ({ id, origin }: DatedReading) => `${ORIGIN_RANK[origin]} ${id}`
  const idByName = new Map(
    named
      .toSorted((one, other) => (rankOf(one) < rankOf(other) ? 1 : -1))
      .map((reading) => [nameOf(reading), reading.id]),
  )
  return readings.map((reading) =>
    named.includes(reading)
      ? { ...reading, id: idByName.get(nameOf(reading)) ?? reading.id }
      : reading,
  )
}

function newestReadings(readings: readonly DatedReading[]): Map<WindowId, DatedReading> {
  const newestById = new Map<WindowId, DatedReading>()
  for (const reading of readings)
    newestById.set(reading.id, newerOf(newestById.get(reading.id), reading))
  return newestById
}

function newerOf(found: DatedReading | undefined, reading: DatedReading): DatedReading {
  if (found === undefined || reading.sampledAt > found.sampledAt) return reading
  if (reading.sampledAt < found.sampledAt) return found
  return ORIGIN_RANK[reading.origin] < ORIGIN_RANK[found.origin] ? reading : found
}

/** A usage-limit message as a reading with 0 percent of the main window whose reset matches it (the nearest if two match); null if none matches. */
function readingOfMessage(
  message: StatusMessage,
  known: Iterable<DatedReading>,
): DatedReading | null {
  if (message.kind !== 'usage_limit' || message.observedAt === null) return null
  const { resetsAt, observedAt } = message
  const distanceMs = ({ resetAt }: DatedReading) =>
    resetAt === null ? Number.POSITIVE_INFINITY : Math.abs(resetAt - resetsAt)
  const [match] = [...known]
    .filter((reading) => isMainWindow(reading.id) && distanceMs(reading) <= MESSAGE_RESET_DRIFT_MS)
    .sort((a, b) => distanceMs(a) - distanceMs(b) || byMainThenId(a.id, b.id))
  if (match === undefined) return null
  return {
    ...match,
    percent: 0,
    resetAt: resetsAt,
    exhausted: true,
    origin: 'status-message',
    sampledAt: observedAt,
  }
}

/** The newest direct sample if it lists every window of the plan, i.e. it reports limits and all were readable; else null. */
function newestFullListing(samples: readonly QuotaSample[]): QuotaSample | null {
  const newest = newestDirectSample(samples)
  const isFull =
    newest !== null && newest.unreadableWindowCount === 0 && newest.reportsNone !== true
  return isFull ? newest : null
}

function byMainThenId(a: WindowId, b: WindowId): number {
  const main = Number(isMainWindow(b)) - Number(isMainWindow(a))
  return main !== 0 ? main : a < b ? -1 : 1
}
