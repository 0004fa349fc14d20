import type { NotifyTopic } from '../facts/notify.ts'
import type { EpochMs } from '../facts/time.ts'

/** Something of the pool that can be told, already in words. */
export interface Notice {
  /** Identifies the subject: the id of an open action; of what has happened also its time, `startsAt`, give or take a quarter of an hour. */
  readonly id: string
  readonly topic: Exclude<NotifyTopic, 'recovered'>
  readonly code: string
  readonly tone: 'good' | 'warn' | 'bad'
  /** Number of accounts concerned; 1 for a notice that concerns none. */
  readonly count: number
  readonly startsAt: EpochMs
  readonly title: string
  readonly summary: string
  /** What to do about it; left out if there is nothing to do. */
  readonly remedy?: string
  /** The proxy concerned; left out if the configuration lists none. */
  readonly upstream?: string
  /** Names of targets that are not told, because the notice is about them; left out if all may be told. */
  readonly notFor?: readonly string[]
}

/** A notice in a message. */
export interface ToldNotice extends Notice {
  /** Null while it is open. */
  readonly endsAt: EpochMs | null
  /** How often it opened since it was last told; 0 if it has only ended. */
  readonly times: number
}

/** One message to one target. */
export interface Message {
  /** Unique for the target. */
  readonly id: string
  readonly at: EpochMs
  readonly notices: readonly ToldNotice[]
  /** Notices left out, because a message has at most 20, as after more than 20 messages in an hour. */
  readonly omittedCount: number
}

/** What there is to tell after an evaluation, with the names of accounts and without. */
export interface NoticesNow {
  readonly at: EpochMs
  /** Everything that is open; what was open before and is missing is over. */
  readonly open: NoticesByNames
  /** What has happened since the last evaluation and has no end, as a reset by the vendor. */
  readonly happened: NoticesByNames
  /** True right after a start: what was open before, and was not seen since, may still open again and does not count as over. Left out: false. */
  readonly isSettling?: boolean
}

/** The same notices twice: with the titles of accounts, and without. */
export interface NoticesByNames {
  readonly named: readonly Notice[]
  readonly unnamed: readonly Notice[]
}
