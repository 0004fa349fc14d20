import { type ClockDoubt, DAY_MS, type EpochMs, epochMs, plusMs } from '../facts/time.ts'

/** The time at one moment: doubt about our clock, and bounds of the true time. */
export interface TrustedTime {
  /** Doubt about our clock; null while it is trusted. */
  readonly doubt: ClockDoubt | null
  /** Time after which any date in a store must come from a wrong clock; null while unknown. */
  readonly falseAfter: EpochMs | null
  /** A time that has certainly passed. */
  readonly certain: EpochMs
  /** The latest time reported by any source. */
  readonly latest: EpochMs
}

/** Time at which an answer of the proxy was received. */
export interface ReceiptTime {
  /** By our clock. */
  readonly receivedAt: EpochMs
  /** By the clock that dates usage records. */
  readonly usageAt: EpochMs
  /** Mark under which the answer was taken out of a queue; omitted for any other route. */
  readonly markedAt?: EpochMs
}

/** The time according to each source at one moment; null if a source has none. */
export interface TimeWitnesses {
  /** Our wall clock; it may jump. */
  readonly wall: EpochMs
  /** The proxy's clock from its newest `Date` header, advanced by the monotonic clock. */
  readonly proxy: EpochMs | null
  /** Time of the newest stored record, advanced by the monotonic clock: a lower bound of the proxy's clock. */
  readonly record: EpochMs | null
  /**
   * Our wall clock extrapolated by the monotonic clock from its last agreement with another source in this process; null before the first agreement.
   */
  readonly steady: EpochMs | null
  /** True once our clock was trusted while the newest record was known; until then it is compared with the records. */
  readonly recordsWeighed: boolean
}

/** Difference above which two clocks disagree. A smaller one is corrected or harmless. */
const CLOCKS_APART_MS = DAY_MS
/**
 * Time since the newest record beyond which our clock is observed for a while after a start: the service may have been off, or the clock may be
 * wrong.
 */
const RECORDS_APART_MS = 30 * DAY_MS
/** Time for which a clock must run evenly to be trusted. */
export const SETTLED_AFTER_MS = 5 * 60_000

/** Doubt about our clock based on the proxy's time alone; null if the two agree. */
export function proxyDoubtOf(wall: EpochMs, proxy: EpochMs): ClockDoubt | null {
  return Math.abs(wall - proxy) > CLOCKS_APART_MS ? aheadOf('proxy', wall, proxy) : null
}

function aheadOf(reason: ClockDoubt['reason'], wall: EpochMs, of: EpochMs): ClockDoubt {
  return { reason, aheadSeconds: Math.round((wall - of) / 1000) }
}

/**
 * Doubt about our clock; null if it can be trusted. Doubt never expires while the proxy disagrees, or while the records are newer than our clock and
 * the proxy reports no time. After a jump, or a start at a time that does not fit the records, the clock is trusted once it has run evenly for
 * `SETTLED_AFTER_MS`.
 */
export function clockDoubtOf(
  { wall, proxy, record, steady, recordsWeighed }: TimeWitnesses,
  evenForMs: number,
): ClockDoubt | null {
  const ahead = (reason: ClockDoubt['reason'], of: EpochMs) => aheadOf(reason, wall, of)
  const proxyDoubt = proxy === null ? null : proxyDoubtOf(wall, proxy)
  if (proxyDoubt !== null) return proxyDoubt
  const isBehindRecords = record !== null && record - wall > CLOCKS_APART_MS
  if (isBehindRecords && proxy === null) return ahead('records', record)
  if (evenForMs >= SETTLED_AFTER_MS) return null
  if (steady !== null && Math.abs(wall - steady) > CLOCKS_APART_MS) return ahead('jump', steady)
  // The proxy may have agreed before any store was open, but on one machine the proxy and this service are wrong together.
  if (record === null || recordsWeighed) return null
  return isBehindRecords || wall - record > RECORDS_APART_MS ? ahead('records', record) : null
}

/** Difference within which two clocks show the same time: a `Date` header is cut to whole seconds, and an answer takes time to arrive. */
const SAME_WITHIN_MS = 10_000
/** Largest fraction of a second that a `Date` header cuts off. */
const DATE_CUT_MS = 1_000

/**
 * The current time by the clock that dates usage, normally the proxy's; never earlier than a date the proxy has used. Our own clock if the proxy
 * reports no time or agrees, and while our clock is in doubt.
 */
export function usageTimeOf({ wall, proxy }: TimeWitnesses, doubt: ClockDoubt | null): EpochMs {
  if (proxy === null || doubt !== null) return wall
  return Math.abs(proxy - wall) <= SAME_WITHIN_MS ? wall : plusMs(proxy, DATE_CUT_MS)
}

/** Whether another source agrees with our wall clock. */
export function isSeconded({ wall, proxy, record }: TimeWitnesses): boolean {
  const other = proxy ?? record
  return other !== null && Math.abs(wall - other) <= CLOCKS_APART_MS
}

/** The latest time that two sources confirm, so that one wrong clock has little effect. Null while only one source reports a time. */
export function vouchedTimeOf({ wall, proxy, record }: TimeWitnesses): EpochMs | null {
  const [, second = null] = saidBy([wall, proxy, record]).sort((one, other) => other - one)
  return second
}

/**
 * Time after which any date in a store must come from a wrong clock; null while unknown. Until our clock has run evenly for a while, the latest time
 * reported by any source.
 */
export function falseAfterOf(
  witnesses: TimeWitnesses,
  doubt: ClockDoubt | null,
  evenForMs: number,
): EpochMs | null {
  const vouched = doubt === null ? vouchedTimeOf(witnesses) : null
  return vouched === null || evenForMs >= SETTLED_AFTER_MS ? vouched : latestTimeOf(witnesses)
}

/**
 * A time that has certainly passed: the latest that two sources confirm or, in doubt, the earliest that any source reports. 0 (1970) while only one
 * source reports a time.
 */
export function certainTimeOf(witnesses: TimeWitnesses, doubt: ClockDoubt | null): EpochMs {
  const { wall, proxy, record } = witnesses
  const vouched = vouchedTimeOf(witnesses)
  if (vouched === null) return epochMs(0)
  return doubt === null ? vouched : epochMs(Math.min(...saidBy([wall, proxy, record])))
}

/** The latest time reported by any source. A later date cannot have been reached yet. */
export function latestTimeOf({ wall, proxy, record }: TimeWitnesses): EpochMs {
  return epochMs(Math.max(...saidBy([wall, proxy, record])))
}

function saidBy(times: readonly (EpochMs | null)[]): EpochMs[] {
  return times.filter((time) => time !== null)
}

/** The time up to which expired data was deleted. Durations are measured by the monotonic clock. */
interface ForgottenAsOf {
  readonly at: EpochMs
  /** Milliseconds since `at` was last set. */
  readonly elapsedMs: number
  /** Milliseconds since `at` last advanced by more than the elapsed time. */
  readonly sinceStrideMs: number
}

/**
 * The time by which the age of data is judged for deletion now; null if nothing may be deleted. It follows `vouched`, but advances by at most the
 * elapsed time plus a day. A full advance requires a clock that has run evenly for a while, and so does the next one. `last` null: the store holds
 * nothing to delete, so there is no earlier time to measure from.
 */
export function forgettingTimeOf(
  vouched: EpochMs | null,
  last: ForgottenAsOf | null,
  evenForMs: number,
): EpochMs | null {
  if (vouched === null || last === null) return null
  const isSettled = evenForMs >= SETTLED_AFTER_MS
  const passed = plusMs(last.at, last.elapsedMs)
  const furthest = plusMs(passed, CLOCKS_APART_MS)
  if (vouched <= furthest) return vouched
  return isSettled && last.sinceStrideMs >= SETTLED_AFTER_MS ? furthest : passed
}
