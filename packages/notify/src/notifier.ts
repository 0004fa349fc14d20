import type { EpochMs } from '@svc/core'
import type { Notice, NotifyStanding, NotifyTarget } from '@svc/core/notify'
import type { Clock, Log } from '@svc/core/service'

/** What there is to tell after an evaluation, with the names of accounts and without. */
export interface NoticesNow {
  readonly at: EpochMs
  /** Everything that is open; what was open before and is missing is over. */
  readonly open: NoticesByNames
  /** What has happened since the last evaluation and has no end, as a reset by the vendor. */
  readonly happened: NoticesByNames
}

export interface NoticesByNames {
  readonly named: readonly Notice[]
  readonly unnamed: readonly Notice[]
}

export interface NotifierDeps {
  readonly targets: readonly NotifyTarget[]
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
  readonly log: Log
  /** Minute of the day in the display time zone, for quiet hours. */
  readonly minuteOfDay: (at: EpochMs) => number
  /** Words that messages add to those of their notices, in the language of the service. */
  readonly words: NotifyWords
  /** Stores what a target was told, under its name. Rejects if it is not stored. Null without a store. */
  readonly keep: ((name: string, memory: string) => Promise<void>) | null
  /** Whether this monitor tells, rather than another one with the same store. */
  readonly mayTell: () => boolean
  /** Called when a standing has changed. */
  readonly onChange: () => void
}

/** Texts of messages that are not those of a notice. */
export interface NotifyWords {
  /** As in `svc-quota-monitor: 2 problems`. */
  readonly heading: (firing: number, resolved: number) => string
  readonly resolved: string
  /** As in `3 times since`. */
  readonly times: (count: number) => string
  readonly omitted: (count: number) => string
  readonly test: string
}

/** Tells targets what the pool needs. No method waits for a receiver. */
export interface Notifier {
  onNotices(now: NoticesNow): void
  /** Continues from what an earlier process or another monitor told, by the name of the target; texts that cannot be read count as nothing told. */
  restore(memories: ReadonlyMap<string, string>): void
  standings(): readonly NotifyStanding[]
  /** Ends attempts under way; what was not sent stays in the memory. */
  stop(): Promise<void>
}
