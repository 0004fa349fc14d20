import type { CourseMoment } from '../account/quota-course.ts'
import type { ProviderId } from '../facts/provider.ts'
import { DAY_MS, type EpochMs, epochMs, type Interval, MINUTE_MS } from '../facts/time.ts'
import { isLowerBound, LOW_SHARE } from '../pool/capacity.ts'
import type { CapacityPoint } from '../pool/capacity-point.ts'
import type { RecentChange } from '../pool/recent-changes.ts'

/** States of the pool that records can show, worst last. `away`: the proxy did not answer, or its account list could not be read. */
export const recordedStates = ['unknown', 'good', 'low', 'dry', 'away'] as const
/** State of the pool in one quarter of an hour. */
export type RecordedState = (typeof recordedStates)[number]

/** A quarter of an hour, the step of the history. */
export const QUARTER_MS = 15 * MINUTE_MS
/** Days that the history covers, today included. */
export const HEALTH_HISTORY_DAYS = 30
/** Share of the tracked units below which a window counts as dry: too little to start a job. */
const DRY_SHARE = 0.01

/** Shares of the tracked units recorded for one window in a quarter of an hour; null if too many units were unread, or none are tracked. */
export interface QuarterShares {
  /** Start of the quarter. */
  readonly at: EpochMs
  readonly lowest: number | null
  /** Last recorded share, in effect until the next record. */
  readonly last: number | null
}

/** Input of `healthHistoryOf`. */
export interface HealthRecord {
  /** Records of each main window, oldest first, up to the end of the span; the first may precede it. */
  readonly windows: readonly (readonly QuarterShares[])[]
  readonly unwatched: readonly Interval[]
  /** Newest first. */
  readonly changes: readonly RecentChange[]
  /** Time before which changes may have been deleted; null if all changes of the span are kept. */
  readonly changesSince: EpochMs | null
}

/** Consecutive quarters with the same state. */
export interface StateInterval extends Interval {
  readonly state: RecordedState
}

/** The pool's state by quarters of an hour. */
export interface HealthHistory {
  /** Oldest first, from the start of the span to its end, without gaps. */
  readonly stretches: readonly StateInterval[]
  /** Time before which it is not known whether the proxy was away; null if it is known throughout. */
  readonly awaySince: EpochMs | null
}

/** Time and provider of a health history. */
export interface HealthMoment extends CourseMoment {
  readonly provider: ProviderId
}

/** Span of the history at `now`: whole quarters and the current one. */
export function healthSpanOf(now: CourseMoment['now']): Interval {
  const quarter = Math.floor(now / QUARTER_MS) * QUARTER_MS
  return { from: epochMs(quarter - HEALTH_HISTORY_DAYS * DAY_MS), to: now }
}

/** Groups one window's points, oldest first, into quarters. */
export function quarterSharesOf(points: readonly CapacityPoint[]): readonly QuarterShares[] {
  const quarters: { readonly at: EpochMs; lowest: number | null; last: number | null }[] = []
  for (const point of points) {
    const at = epochMs(Math.floor(point.at / QUARTER_MS) * QUARTER_MS)
    const share = shareOf(point)
    const newest = quarters.at(-1)
    if (newest?.at !== at) {
      quarters.push({ at, lowest: share, last: share })
      continue
    }
    newest.lowest = lowestOf([newest.lowest, share])
    newest.last = share
  }
  return quarters
}

function shareOf(point: CapacityPoint): number | null {
  const { knownUnits, trackedUnits } = point
  return trackedUnits === 0 || isLowerBound(point) ? null : knownUnits / trackedUnits
}

/** The state of every quarter: the worst that its watched part shows. See docs/rules.md#thirty-days. */
export function healthHistoryOf(record: HealthRecord, span: Interval): HealthHistory {
  const unwatched = record.unwatched.toSorted((one, other) => one.from - other.from)
  const away = awayIntervals(record, span)
  const shareAt = record.windows.map(createSharesOver)
  const stretches: { readonly from: EpochMs; to: EpochMs; readonly state: RecordedState }[] = []
  for (let from = span.from; from < span.to; from = epochMs(from + QUARTER_MS)) {
    const quarter = { from, to: epochMs(Math.min(from + QUARTER_MS, span.to)) }
    const isStanding = !unwatched.some((gap) => gap.from < from && from < gap.to)
    const lowest = lowestOf(shareAt.flatMap((shares) => shares(from, isStanding)))
    const isAway = away.some((interval) => isWatchedIn(overlapOf(interval, quarter), unwatched))
    const state = !isWatchedIn(quarter, unwatched) ? 'unknown' : isAway ? 'away' : stateOf(lowest)
    const newest = stretches.at(-1)
    if (newest?.state === state) newest.to = quarter.to
    else stretches.push({ ...quarter, state })
  }
  return { stretches, awaySince: record.changesSince }
}

function stateOf(share: number | null): RecordedState {
  if (share === null) return 'unknown'
  if (share < DRY_SHARE) return 'dry'
  return share < LOW_SHARE ? 'low' : 'good'
}

/**
 * Creates a reader that is called for each quarter in order. Returns the lowest share recorded in the quarter and the share in effect at its start.
 */
function createSharesOver(records: readonly QuarterShares[]) {
  let next = 0
  let last: number | null = null
  return (from: EpochMs, isStanding: boolean): readonly (number | null)[] => {
    for (let record = records[next]; record !== undefined && record.at < from; ) {
      last = record.last
      next += 1
      record = records[next]
    }
    const own = records[next]
    const standing = isStanding ? last : null
    return own?.at === from ? [own.lowest, standing] : [standing]
  }
}

/** Intervals in which the proxy did not answer or its account list could not be read. */
function awayIntervals(
  { changes, changesSince }: HealthRecord,
  span: Interval,
): readonly Interval[] {
  const within = { from: epochMs(Math.max(span.from, changesSince ?? span.from)), to: span.to }
  const oldestFirst = changes.toReversed()
  const ofGateway = oldestFirst.flatMap(({ at, detail }) =>
    detail.code === 'gateway_changed' ? [{ at, wasAway: detail.up, isAway: !detail.up }] : [],
  )
  const ofList = oldestFirst.flatMap(({ at, detail }) =>
    detail.code === 'source_changed'
      ? [{ at, wasAway: isUnreadable(detail.from), isAway: isUnreadable(detail.to) }]
      : [],
  )
  return [ofGateway, ofList].flatMap((turns) => awayBetween(turns, within))
}

function isUnreadable(source: string): boolean {
  return source === 'stale' || source === 'unavailable'
}

/** A change of the away state; `wasAway` of the first change gives the state before it. */
interface Turn {
  readonly at: EpochMs
  readonly wasAway: boolean
  readonly isAway: boolean
}

function awayBetween(turns: readonly Turn[], { from, to }: Interval): readonly Interval[] {
  const [first] = turns
  const starts = first === undefined ? [] : [{ at: from, isAway: first.wasAway }, ...turns]
  return starts.flatMap(({ at, isAway }, index) => {
    const interval = overlapOf({ from: at, to: starts[index + 1]?.at ?? to }, { from, to })
    return isAway && interval.from < interval.to ? [interval] : []
  })
}

/** Intersection of two intervals; `to` is before `from` if they do not overlap. */
function overlapOf(one: Interval, other: Interval): Interval {
  return {
    from: epochMs(Math.max(one.from, other.from)),
    to: epochMs(Math.min(one.to, other.to)),
  }
}

/** Whether part of the interval lies outside the gaps, which are sorted by start. */
function isWatchedIn({ from, to }: Interval, unwatched: readonly Interval[]): boolean {
  let knownFrom = from
  for (const gap of unwatched) {
    if (gap.from > knownFrom) break
    knownFrom = epochMs(Math.max(knownFrom, gap.to))
  }
  return knownFrom < to
}

function lowestOf(shares: readonly (number | null)[]): number | null {
  const known = shares.filter((share) => share !== null)
  return known.length === 0 ? null : Math.min(...known)
}
