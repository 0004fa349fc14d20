import type { NotifyTopic } from '../facts/notify.ts'
import type { EpochMs } from '../facts/time.ts'

/** Problem or event of the pool as text. */
export interface Notice {
  /** Id of an open action or of an event. Events with the same id are one if their `startsAt` are less than a quarter of an hour apart. */
  readonly id: string
  readonly topic: Exclude<NotifyTopic, 'recovered'>
  readonly code: string
  readonly tone: 'good' | 'warn' | 'bad'
  /** Number of accounts concerned; 1 for a notice that concerns none. */
  readonly count: number
  readonly startsAt: EpochMs
  readonly title: string
  readonly summary: string
  /** Recommended remedy; left out if there is nothing to do. */
  readonly remedy?: string
  /** The proxy concerned; left out if the configuration lists none. */
  readonly upstream?: string
  /** Names of the targets that the notice is about, which do not get it; omitted if all may get it. */
  readonly notFor?: readonly string[]
}

/** A notice in a message. */
export interface DeliveredNotice extends Notice {
  /** Null while it is open. */
  readonly endsAt: EpochMs | null
  /** Number of openings since the last report; 0 if it has only ended. */
  readonly times: number
}

/** One message to one target. */
export interface Message {
  /** Unique for the target. */
  readonly id: string
  readonly at: EpochMs
  readonly notices: readonly DeliveredNotice[]
  /** Number of notices beyond the maximum of 20 in a message. */
  readonly omittedCount: number
}

/** Notices of an evaluation, with and without the names of accounts. */
export interface NoticesNow {
  readonly at: EpochMs
  /** All open notices; a previously open subject that is missing has ended. */
  readonly open: NoticesByNames
  /** Events since the last evaluation, such as a reset by the vendor. */
  readonly happened: NoticesByNames
  /** True right after a start, when a subject that was open before may still be found and does not count as over. Default: false. */
  readonly isSettling?: boolean
}

/** The same notices with account titles and without. */
export interface NoticesByNames {
  readonly named: readonly Notice[]
  readonly unnamed: readonly Notice[]
}
