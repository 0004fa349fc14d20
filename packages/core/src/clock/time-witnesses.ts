import type { ClockDoubt } from '../facts/clock-doubt.ts'
import { type EpochMs, epochMs, plusMs } from '../facts/time.ts'

/** What each source says the time is, at one moment; null where it says nothing. */
export interface TimeWitnesses {
  /** Our wall clock; it may jump. */
  readonly wall: EpochMs
  /** The proxy's clock by its newest `Date` header, moved on by the monotonic clock. */
  readonly proxy: EpochMs | null
  /** The newest record stored, moved on by the monotonic clock: the proxy's clock has reached at least this. */
  readonly record: EpochMs | null
  /** Where our wall clock would stand if it had run evenly since another source last agreed with it in this process. */
  readonly steady: EpochMs | null
  /** Our clock was believed at a moment when the records had been heard; until then it is compared with them. */
  readonly recordsWeighed: boolean
}

const DAY_MS = 86_400_000
/** Clocks further apart than this do not agree. Below it every instant is corrected or harmless. */
export const CLOCKS_APART_MS = DAY_MS
/** A start so long after the newest record is first watched for a while: the service may have been off, or the clock may be wrong. */
const RECORDS_APART_MS = 30 * DAY_MS
/** A clock that has run evenly for this long is there to stay. */
export const SETTLED_AFTER_MS = 5 * 60_000

/**
 * Whether our clock can be believed; null when it can. A proxy that disagrees is never outwaited, nor are records that are newer than our clock while the
 * proxy does not tell the time. A jump, or a start at a time that does not fit the records, is believed once the clock has run evenly for
 * `SETTLED_AFTER_MS`.
 */
export function clockDoubtOf(
  { wall, proxy, record, steady, recordsWeighed }: TimeWitnesses,
  evenForMs: number,
): ClockDoubt | null {
  const ahead = (reason: ClockDoubt['reason'], of: EpochMs): ClockDoubt => ({
    reason,
    aheadSeconds: Math.round((wall - of) / 1000),
  })
  if (proxy !== null && Math.abs(wall - proxy) > CLOCKS_APART_MS) return ahead('proxy', proxy)
  const isBehindRecords = record !== null && record - wall > CLOCKS_APART_MS
  if (isBehindRecords && proxy === null) return ahead('records', record)
  if (evenForMs >= SETTLED_AFTER_MS) return null
  if (steady !== null && Math.abs(wall - steady) > CLOCKS_APART_MS) return ahead('jump', steady)
  // The proxy may have agreed long before a store was open: a machine that has both on it is wrong with both.
  if (record === null || recordsWeighed) return null
  return isBehindRecords || wall - record > RECORDS_APART_MS ? ahead('records', record) : null
}

/** Clocks no further apart than this show the same: a `Date` is cut to whole seconds, and an answer takes its time to arrive. */
const SAME_WITHIN_MS = 10_000
/** What the `Date` of an answer may have cut off. */
const DATE_CUT_MS = 1_000

/**
 * The time by the clock that dates usage, which is the proxy's: what it has dated so far lies before this. It is our clock where the proxy does not tell
 * the time or shows the same, and in doubt.
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

/** The latest time that two sources vouch for: no single wrong clock moves it too far. Null while only one speaks. */
export function vouchedTimeOf({ wall, proxy, record }: TimeWitnesses): EpochMs | null {
  const [, second = null] = saidBy([wall, proxy, record]).sort((one, other) => other - one)
  return second
}

/**
 * Whatever a store dates later than this, a wrong clock has left; null while that is unknown. As long as our clock has not run evenly for a while, it is
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

/** A time that has certainly passed: what two sources vouch for, in doubt the earliest that any names; the beginning of time while only one speaks. */
export function certainTimeOf(witnesses: TimeWitnesses, doubt: ClockDoubt | null): EpochMs {
  const { wall, proxy, record } = witnesses
  const vouched = vouchedTimeOf(witnesses)
  if (vouched === null) return epochMs(0)
  return doubt === null ? vouched : epochMs(Math.min(...saidBy([wall, proxy, record])))
}

/** The latest time that any source names. What is dated later than this cannot have happened yet. */
export function latestTimeOf({ wall, proxy, record }: TimeWitnesses): EpochMs {
  return epochMs(Math.max(...saidBy([wall, proxy, record])))
}

function saidBy(times: readonly (EpochMs | null)[]): EpochMs[] {
  return times.filter((time) => time !== null)
}
