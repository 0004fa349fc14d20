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
import type { UsageReader } from '@svc/core/usage'

/** The clock that dates usage. A window that ends at its time includes the usage stored last. */
export function usageClockOf(clock: Clock, trustedClock: TrustedClock): Clock {
  return { ...clock, now: () => trustedClock.usageNow() }
}

/** Reads the source at the time of the usage clock and shifts the instants in its answers to our clock, from which readers compute ages. */
export function datedByOurClock(
  source: Pick<UsageReader, 'summary'>,
  clock: Clock,
): Pick<UsageReader, 'summary'> {
  return {
    async summary(usageNow) {
      const aheadMs = usageNow - clock.now()
      const onOurs = (at: EpochMs | null) => (at === null ? null : plusMs(at, -aheadMs))
      const { live, history, ...rest } = await source.summary(usageNow)
      return {
        ...rest,
        live: { ...live, lastEventAt: onOurs(live.lastEventAt) },
        history: { ...history, earliest: onOurs(history.earliest), latest: onOurs(history.latest) },
      }
    },
  }
}

/** Times recorded in a store. */
export interface StoredTimes {
  /** Start of the newest stored request, by the proxy's clock; null in an empty store. */
  readonly newestRecordAt: EpochMs | null
  /** A time as of which every expired row had been deleted; null in an empty store that never deleted a row. */
  readonly forgottenAsOf: EpochMs | null
}

/** A step of the wall clock larger than any that NTP makes. */
const JUMP_MS = 60_000

/** Readings of all time sources at one moment, and the resulting doubt. */
interface Look {
  readonly said: TimeWitnesses
  readonly doubt: ClockDoubt | null
  readonly evenMs: number
}

/** Our clock, checked against other sources of time. All deletion by age uses this clock. */
export function createTrustedClock({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
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
    /** Records the time in an answer from the proxy as it arrives. */
    proxySaid(proxyNow: EpochMs) {
      proxy.set(proxyNow)
      look()
    },
    /** Records the times in the store, after it is opened and at intervals later. */
    storeSaid({ newestRecordAt, forgottenAsOf }: StoredTimes) {
      if (newestRecordAt !== null) record.advance(newestRecordAt)
      if (forgottenAsOf !== null) forgetting.begin(forgottenAsOf)
      look()
    },
    /** Notes that a record was stored whose request began at `at`. */
    recordStored: record.advance,
    read(): TrustedTime {
      const { said, doubt, evenMs } = look()
      return {
        doubt,
        falseAfter: falseAfterOf(said, doubt, evenMs),
        certain: certainTimeOf(said, doubt),
        latest: latestTimeOf(said),
      }
    },
    /** The time by the clock that dates usage. */
    usageNow(): EpochMs {
      const { said, doubt } = look()
      return usageTimeOf(said, doubt)
    },
    /** The time as of which old rows may be deleted now; null if none may be. */
    forgettingTime(): EpochMs | null {
      const { said, doubt, evenMs } = look()
      return doubt === null
        ? forgettingTimeOf(vouchedTimeOf(said), forgetting.last(), evenMs)
        : null
    },
    /** Notes that rows were deleted as of this time. */
    forgotten: forgetting.done,
    /** Calls `listener` whenever doubt about our clock begins or ends. */
    onTurn: (listener: () => void) => void listeners.push(listener),
  }
}

export type TrustedClock = ReturnType<typeof createTrustedClock>

function logTurn(log: Log, doubt: ClockDoubt | null): void {
  if (doubt === null) {
    log.info('clock trusted again')
    return
  }
  const { reason, aheadSeconds } = doubt
  log.error('clock not trusted', { disagreesWith: reason, aheadSeconds }, 'news')
}

/** A time that advances with the monotonic clock from where it was last set; null until it is set. */
function createRunningTime(clock: Clock) {
  let said: { readonly at: EpochMs; readonly atMs: number } | null = null
  const now = () => (said === null ? null : plusMs(said.at, clock.monotonicMs() - said.atMs))
  const set = (at: EpochMs) => {
    said = { at, atMs: clock.monotonicMs() }
  }
  return {
    now,
    set,
    /** Advances to `at`; never moves back. */
    advance(at: EpochMs) {
      if (at > (now() ?? Number.NEGATIVE_INFINITY)) set(at)
    },
  }
}

/** Measures the milliseconds that the wall clock has run without a jump. */
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

/** Remembers the time as of which rows were last deleted, and when it last advanced by more than the elapsed time. */
function createForgetting(clock: Clock) {
  let forgotten: { readonly at: EpochMs; readonly atMs: number } | null = null
  let strodeAtMs = clock.monotonicMs()
  return {
    /** Continues from the time as of which an earlier process deleted rows. */
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
