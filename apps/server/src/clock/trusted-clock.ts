import { type EpochMs, plusMs } from '@svc/core'
import {
  type Clock,
  type ClockDoubt,
  certainTimeOf,
  clockDoubtOf,
  falseAfterOf,
  forgettingTimeOf,
  isSeconded,
  type Log,
  latestTimeOf,
  type TimeWitnesses,
  type TrustedTime,
  usageTimeOf,
  vouchedTimeOf,
} from '@svc/core/service'

/** Times recorded in a store. */
export interface StoredTimes {
  /** Start of the request in the newest row, by the proxy's clock; null in an empty store. */
  readonly newestRecordAt: EpochMs | null
  /** A time as of which every row that was too old had been deleted; null in an empty store that has never forgotten anything. */
  readonly forgottenAsOf: EpochMs | null
}

/** Our clock, checked against other sources of time. Everything that deletes by age asks this clock. */
export interface TrustedClock {
  /** Notes the time in an answer of the proxy, on its arrival. */
  proxySaid(proxyNow: EpochMs): void
  /** Notes the times in the store, after opening and now and then later. */
  storeSaid(times: StoredTimes): void
  /** Notes that a record was stored whose request began at `at`. */
  recordStored(at: EpochMs): void
  read(): TrustedTime
  /** The time by the clock that dates usage. */
  usageNow(): EpochMs
  /** The time as of which old rows may be deleted now; null if none may be. */
  forgettingTime(): EpochMs | null
  /** Notes that rows were deleted as of this time. */
  forgotten(asOf: EpochMs): void
  /** Calls `listener` whenever doubt about our clock begins or ends. */
  onTurn(listener: () => void): void
}

/** A step of the wall clock that is larger than what NTP makes. */
const JUMP_MS = 60_000

/** Readings of all sources of time at one look, and the doubt that follows from them. */
interface Look {
  readonly said: TimeWitnesses
  readonly doubt: ClockDoubt | null
  readonly evenMs: number
}

export function createTrustedClock({
  clock,
  log,
}: {
  readonly clock: Clock
  readonly log: Log
}): TrustedClock {
  const proxy = createRunningTime(clock)
  const record = createRunningTime(clock)
  const trusted = createRunningTime(clock)
  const forgetting = createForgetting(clock)
  const evenForMs = createEvenness(clock)
  let doubted = false
  let recordsWeighed = false
  const listeners: (() => void)[] = []

  const look = (): Look => {
    const evenMs = evenForMs()
    const said = {
      wall: clock.now(),
      proxy: proxy.now(),
      record: record.now(),
      steady: trusted.now(),
      recordsWeighed,
    }
    const doubt = clockDoubtOf(said, evenMs)
    if (doubt === null && isSeconded(said)) trusted.set(said.wall)
    recordsWeighed ||= doubt === null && said.record !== null
    if ((doubt !== null) !== doubted) {
      doubted = doubt !== null
      logTurn(log, doubt)
      for (const listener of listeners) listener()
    }
    return { said, doubt, evenMs }
  }

  return {
    proxySaid(proxyNow) {
      proxy.set(proxyNow)
      look()
    },
    storeSaid({ newestRecordAt, forgottenAsOf }) {
      if (newestRecordAt !== null) record.advance(newestRecordAt)
      if (forgottenAsOf !== null) forgetting.begin(forgottenAsOf)
      look()
    },
    recordStored: record.advance,
    read() {
      const { said, doubt, evenMs } = look()
      return {
        doubt,
        falseAfter: falseAfterOf(said, doubt, evenMs),
        certain: certainTimeOf(said, doubt),
        latest: latestTimeOf(said),
      }
    },
    usageNow() {
      const { said, doubt } = look()
      return usageTimeOf(said, doubt)
    },
    forgettingTime() {
      const { said, doubt, evenMs } = look()
      return doubt === null
        ? forgettingTimeOf(vouchedTimeOf(said), forgetting.last(), evenMs)
        : null
    },
    forgotten: forgetting.done,
    onTurn: (listener) => void listeners.push(listener),
  }
}

function logTurn(log: Log, doubt: ClockDoubt | null): void {
  if (doubt === null) {
    log.info('clock trusted again')
    return
  }
  const { reason, aheadSeconds } = doubt
  log.error('clock not trusted', { disagreesWith: reason, aheadSeconds }, 'news')
}

/** A time that was noted once and advances with the monotonic clock; null before that. */
function createRunningTime(clock: Clock) {
  let said: { readonly at: EpochMs; readonly atMs: number } | null = null
  const now = () => (said === null ? null : plusMs(said.at, clock.monotonicMs() - said.atMs))
  const set = (at: EpochMs) => {
    said = { at, atMs: clock.monotonicMs() }
  }
  return {
    now,
    set,
    /** Never moves back. */
    advance(at: EpochMs) {
      if (at > (now() ?? Number.NEGATIVE_INFINITY)) set(at)
    },
  }
}

/** Measures how many milliseconds the wall clock has gone without a jump. */
function createEvenness(clock: Clock): () => number {
  let offsetMs = clock.now() - clock.monotonicMs()
  let evenSinceMs = clock.monotonicMs()
  return () => {
    const nowMs = clock.monotonicMs()
    const seenMs = clock.now() - nowMs
    if (Math.abs(seenMs - offsetMs) > JUMP_MS) evenSinceMs = nowMs
    offsetMs = seenMs
    return nowMs - evenSinceMs
  }
}

/** Remembers as of when rows were last deleted, and when that time last moved further than the time that had passed. */
function createForgetting(clock: Clock) {
  let forgotten: { readonly at: EpochMs; readonly atMs: number } | null = null
  let strodeAtMs = clock.monotonicMs()
  return {
    /** Takes over the time as of which an earlier process deleted rows. */
    begin(asOf: EpochMs) {
      forgotten ??= { at: asOf, atMs: clock.monotonicMs() }
    },
    done(asOf: EpochMs) {
      const nowMs = clock.monotonicMs()
      if (forgotten !== null && asOf - forgotten.at > nowMs - forgotten.atMs) strodeAtMs = nowMs
      forgotten = { at: asOf, atMs: nowMs }
    },
    last() {
      const nowMs = clock.monotonicMs()
      if (forgotten === null) return null
      const { at, atMs } = forgotten
      return { at, elapsedMs: nowMs - atMs, sinceStrideMs: nowMs - strodeAtMs }
    },
  }
}
