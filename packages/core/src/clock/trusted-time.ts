import { type ClockDoubt, DAY_MS, type EpochMs, epochMs, plusMs } from '../facts/time.ts'

/** The time at one moment, with the doubt about it and its bounds. */
export interface TrustedTime {
  /** Null while our clock is believed. */
  readonly doubt: ClockDoubt | null
  /** Limit beyond which every date in a store comes from a wrong clock; null while that is unknown. */
  readonly falseAfter: EpochMs | null
  /** A time that has certainly passed. */
  readonly certain: EpochMs
  /** The latest time that any source names. */
  readonly latest: EpochMs
}

/** Time of receipt of an answer from the proxy. */
export interface ReceiptTime {
  /** By our clock. */
  readonly receivedAt: EpochMs
  /** By the clock that dates usage. */
  readonly usageAt: EpochMs
  /** Mark under which the answer was taken out of a queue; left out if it came from another route. */
  readonly markedAt?: EpochMs
}

/** The time according to each source at one moment; null for a source without a time. */
export interface TimeWitnesses {
  /** Our wall clock; it may jump. */
  readonly wall: EpochMs
  /** The proxy's clock from its newest `Date` header, advanced by the monotonic clock. */
  readonly proxy: EpochMs | null
  /** The newest record stored, advanced by the monotonic clock: the proxy's clock has reached at least this. */
  readonly record: EpochMs | null
  /** Our wall clock's time if it had run evenly since another source last agreed with it in this process; null before the first agreement. */
  readonly steady: EpochMs | null
  /** True once our clock was believed while the newest record was known; until then it is compared with the records. */
  readonly recordsWeighed: boolean
}

/** Clocks further apart than this disagree. Below it every instant is corrected or harmless. */
const CLOCKS_APART_MS = DAY_MS
/** After a start this long after the newest record our clock is first observed for a while: the service may have been off, or the clock may be wrong. */
const RECORDS_APART_MS = 30 * DAY_MS
/** A clock that has run evenly for this long is accepted. */
export const SETTLED_AFTER_MS = 5 * 60_000

/** Doubt that the proxy's time alone casts on our clock; null if the two agree. */
export function proxyDoubtOf(wall: EpochMs, proxy: EpochMs): ClockDoubt | null {
  return Math.abs(wall - proxy) > CLOCKS_APART_MS ? aheadOf('proxy', wall, proxy) : null
}

function aheadOf(reason: ClockDoubt['reason'], wall: EpochMs, of: EpochMs): ClockDoubt {
  return { reason, aheadSeconds: Math.round((wall - of) / 1000) }
}

/**
 * Doubt about our clock; null if it can be believed. Doubt never expires while the proxy disagrees, or while the records are newer than our
 * clock and the proxy reports no time. A jump, or a start at a time that does not fit the records, is believed once the clock has run evenly
 * for `SETTLED_AFTER_MS`.
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

/** Clocks this close show the same time: a `Date` is cut to whole seconds, and an answer takes time to arrive. */
const SAME_WITHIN_MS = 10_000
/** Largest amount a `Date` header is truncated by. */
const DATE_CUT_MS = 1_000

/**
 * The time by the clock that dates usage, normally the proxy's: every date given so far lies before it. Our own clock if the proxy reports no
 * time or agrees, and while our clock is in doubt.
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

/** The latest time that two sources confirm, so that a single wrong clock has little effect. Null while only one source names a time. */
export function vouchedTimeOf({ wall, proxy, record }: TimeWitnesses): EpochMs | null {
  const [, second = null] = saidBy([wall, proxy, record]).sort((one, other) => other - one)
  return second
}

/**
 * Limit beyond which every date in a store comes from a wrong clock; null while that is unknown. Until our clock has run evenly for a while, this is
 * the latest time that any source names.
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
 * A time that has certainly passed: the latest that two sources confirm or, in doubt, the earliest that any source names. 0 (1970) while
 * only one source names a time.
 */
export function certainTimeOf(witnesses: TimeWitnesses, doubt: ClockDoubt | null): EpochMs {
  const { wall, proxy, record } = witnesses
  const vouched = vouchedTimeOf(witnesses)
  if (vouched === null) return epochMs(0)
  return doubt === null ? vouched : epochMs(Math.min(...saidBy([wall, proxy, record])))
}

/** The latest time that any source names. Anything dated later cannot have happened yet. */
export function latestTimeOf({ wall, proxy, record }: TimeWitnesses): EpochMs {
  return epochMs(Math.max(...saidBy([wall, proxy, record])))
}

function saidBy(times: readonly (EpochMs | null)[]): EpochMs[] {
  return times.filter((time) => time !== null)
}

/** A time as of which all expired data was deleted. Spans are by the monotonic clock. */
interface ForgottenAsOf {
  readonly at: EpochMs
  /** Milliseconds since `at` was last set. */
  readonly elapsedMs: number
  /** Milliseconds since `at` last moved further than the time that had passed. */
  readonly sinceStrideMs: number
}

/**
 * The time as of which old data may be deleted now; null if none may be. It follows `vouched`, but each move is at most the time since the
 * previous move plus a day. A move of that maximum length needs a clock that has run evenly for a while, and the next one waits as long
 * again. `last` null: the store holds nothing that could be deleted, so there is no earlier time to measure from.
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
