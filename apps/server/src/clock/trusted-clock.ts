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

/** What a store says about time. */
export interface StoredTimes {
  /** When a request of the newest row began, by the proxy's clock; null in an empty store. */
  readonly newestRecordAt: EpochMs | null
  /** A time as of which nothing too old was left in it; null in an empty store that has never forgotten anything. */
  readonly forgottenAsOf: EpochMs | null
}

/** Our clock, checked against other sources of time. Everything that deletes by age asks here. */
export interface TrustedClock {
  /** The proxy has just answered with this time. */
  proxySaid(proxyNow: EpochMs): void
  /** What the store holds, when it was opened and now and then after that. */
  storeSaid(times: StoredTimes): void
  /** A record that began then was stored. */
  recordStored(at: EpochMs): void
  read(): TrustedTime
  /** The time by the clock that dates usage. */
  usageNow(): EpochMs
  /** The time as of which something may be forgotten now; null when nothing may be. */
  forgettingTime(): EpochMs | null
  /** Something was forgotten as of this time. */
  forgotten(asOf: EpochMs): void
  /** Calls `listener` whenever our clock begins or ceases to be doubted. */
  onTurn(listener: () => void): void
}

/** A step of the wall clock that is larger than what NTP makes. */
const JUMP_MS = 60_000

/** A time, and the monotonic instant at which it held. */
interface Marked {
  readonly at: EpochMs
  readonly atMs: number
}

export function createTrustedClock({
  clock,
  log,
}: {
  readonly clock: Clock
  readonly log: Log
}): TrustedClock {
  let proxy: Marked | null = null
  let record: Marked | null = null
  let trusted: Marked | null = null
  let forgotten: Marked | null = null
  let strodeAtMs = clock.monotonicMs()
  let doubted = false
  let recordsWeighed = false
  /** Wall clock minus monotonic clock at the last look, and since when that has stayed the same. */
  let offsetMs = clock.now() - clock.monotonicMs()
  let evenSinceMs = clock.monotonicMs()
  const listeners: (() => void)[] = []

  const mark = (at: EpochMs): Marked => ({ at, atMs: clock.monotonicMs() })
  const nowOf = (marked: Marked | null) =>
    marked === null ? null : plusMs(marked.at, clock.monotonicMs() - marked.atMs)
  const laterOf = (at: EpochMs, known: Marked | null) =>
    known === null || at > (nowOf(known) ?? 0) ? mark(at) : known

  const evenForMs = (): number => {
    const nowMs = clock.monotonicMs()
    const seenMs = clock.now() - nowMs
    if (Math.abs(seenMs - offsetMs) > JUMP_MS) evenSinceMs = nowMs
    offsetMs = seenMs
    return nowMs - evenSinceMs
  }

  const witnesses = (): TimeWitnesses => ({
    wall: clock.now(),
    proxy: nowOf(proxy),
    record: nowOf(record),
    steady: nowOf(trusted),
    recordsWeighed,
  })

  const look = (): {
    readonly said: TimeWitnesses
    readonly doubt: ClockDoubt | null
    readonly evenMs: number
  } => {
    const evenMs = evenForMs()
    const said = witnesses()
    const doubt = clockDoubtOf(said, evenMs)
    if (doubt === null && isSeconded(said)) trusted = mark(said.wall)
    recordsWeighed ||= doubt === null && said.record !== null
    if ((doubt !== null) !== doubted) {
      doubted = doubt !== null
      if (doubt === null) log.info('clock trusted again')
      else
        log.error(
          'clock not trusted',
          { disagreesWith: doubt.reason, aheadSeconds: doubt.aheadSeconds },
          'news',
        )
      for (const listener of listeners) listener()
    }
    return { said, doubt, evenMs }
  }

  return {
    proxySaid(proxyNow) {
      proxy = mark(proxyNow)
      look()
    },
    storeSaid({ newestRecordAt, forgottenAsOf }) {
      if (newestRecordAt !== null) record = laterOf(newestRecordAt, record)
      if (forgottenAsOf !== null && forgotten === null) forgotten = mark(forgottenAsOf)
      look()
    },
    recordStored(at) {
      record = laterOf(at, record)
    },
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
      if (doubt !== null) return null
      const nowMs = clock.monotonicMs()
      const last =
        forgotten === null
          ? null
          : {
              at: forgotten.at,
              elapsedMs: nowMs - forgotten.atMs,
              sinceStrideMs: nowMs - strodeAtMs,
            }
      return forgettingTimeOf(vouchedTimeOf(said), last, evenMs)
    },
    forgotten(asOf) {
      if (forgotten !== null && asOf > (nowOf(forgotten) ?? asOf)) strodeAtMs = clock.monotonicMs()
      forgotten = mark(asOf)
    },
    onTurn: (listener) => void listeners.push(listener),
  }
}
