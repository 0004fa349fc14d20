import {
  type NotifyFailure,
  type NotifyStanding,
  type NotifyTopic,
  notifyFailures,
  notifyTopics,
} from '../facts/notify.ts'
import { type EpochMs, epochMs, HOUR_MS, MINUTE_MS } from '../facts/time.ts'

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

/** Notices with account titles, and the same ones without. */
export interface NoticesByNames {
  readonly named: readonly Notice[]
  readonly unnamed: readonly Notice[]
}

/** Delivered and pending notifications of a target: plain JSON, so that a store can keep it. */
export interface NotifyMemory {
  readonly version: 1
  readonly subjects: readonly Subject[]
  /** Newest accepted events, by which repeats are recognised. */
  readonly happened: readonly Pick<Notice, 'id' | 'startsAt'>[]
  /** Message being sent; null for none. The next message waits until it is delivered or given up. */
  readonly outgoing: Outgoing | null
  /** Times of the messages of the last hour. */
  readonly madeAt: readonly EpochMs[]
  readonly madeCount: number
  readonly record: DeliveryRecord
}

/** A subject that is open, was open recently, or has happened and is not reported yet. */
export interface Subject {
  readonly notice: Notice
  readonly isSeen: boolean
  readonly since: EpochMs
  /** Whether the subject counts as open; follows `isSeen` after a minute without change. */
  readonly isOpen: boolean
  /** False for an event. */
  readonly hasEnd: boolean
  /** True if the last message to the target says that it is open. */
  readonly isToldOpen: boolean
  /** Null if it was never reported. */
  readonly toldAt: EpochMs | null
  readonly times: number
  /** Earliest time to report a change; null without one. */
  readonly newsAt: EpochMs | null
  /** Whether it opened again soon after it was reported. */
  readonly flaps: boolean
}

interface Outgoing {
  readonly message: Message
  readonly attemptCount: number
  /** Null before the first attempt. */
  readonly firstAt: EpochMs | null
  readonly nextAt: EpochMs
}

type DeliveryRecord = Omit<NotifyStanding, 'name' | 'kind' | 'waitingCount'>

/** The memory of a target without messages. */
export const emptyMemory: NotifyMemory = {
  version: 1,
  subjects: [],
  happened: [],
  outgoing: null,
  madeAt: [],
  madeCount: 0,
  record: { sentCount: 0, lostCount: 0, lastSentAt: null, failure: null, isFailing: false },
}

/** The memory after an unwatched time or a jump of the clock. Subjects that were about to open start over; those about to end keep their time. */
export function withoutComings(memory: NotifyMemory): NotifyMemory {
  const subjects = memory.subjects.map((subject) =>
    subject.isOpen ? subject : { ...subject, isSeen: false },
  )
  return { ...memory, subjects }
}

export const ENTRIES_MAX = 100
const TEXT_MAX = 4_000_000

/** Reads a memory written by `JSON.stringify`; an empty one if the text is anything else. */
export function parseMemory(text: string): NotifyMemory {
  try {
    const value: unknown = text.length > TEXT_MAX ? null : JSON.parse(text)
    return isLike(value, memory) ? (value as NotifyMemory) : emptyMemory
  } catch {
    return emptyMemory
  }
}

/**
 * Whether a value has the shape of an example, with exactly its fields. In an example, a list holds one sample entry, and a function tests the value.
 */
function isLike(value: unknown, example: unknown): boolean {
  if (typeof example === 'function') return example(value) === true
  if (typeof example === 'number') return Number.isSafeInteger(value) && Number(value) >= 0
  if (typeof example !== 'object' || example === null) return typeof value === typeof example
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(example))
    return (
      Array.isArray(value) &&
      value.length <= ENTRIES_MAX &&
      value.every((entry) => isLike(entry, example[0]))
    )
  const fields = Object.entries(example)
  return (
    Object.keys(value).every((key) => Object.hasOwn(example, key)) &&
    fields.every(([key, field]) => isLike((value as Record<string, unknown>)[key], field))
  )
}

const or = (none: null | undefined, example: unknown) => (value: unknown) =>
  value === none || isLike(value, example)
const oneOf = (values: readonly unknown[]) => (value: unknown) => values.includes(value)
type Example<Shape> = Readonly<Record<keyof Shape, unknown>>

const texts = { id: '', code: '', title: '', summary: '' }
const notice = {
  ...texts,
  topic: oneOf(notifyTopics.filter((topic) => topic !== 'recovered')),
  tone: oneOf(['good', 'warn', 'bad']),
  count: 0,
  startsAt: 0,
  remedy: or(undefined, ''),
  upstream: or(undefined, ''),
  notFor: or(undefined, ['']),
} satisfies Example<Notice>

const times = { since: 0, toldAt: or(null, 0), newsAt: or(null, 0), times: 0 }
const flags = { isSeen: true, isOpen: true, hasEnd: true, isToldOpen: true, flaps: true }
const subject = { notice, ...times, ...flags } satisfies Example<Subject>

const toldNotice = { ...notice, endsAt: or(null, 0), times: 0 } satisfies Example<DeliveredNotice>
const message = { id: '', at: 0, notices: [toldNotice], omittedCount: 0 } satisfies Example<Message>
const attempts = { attemptCount: 0, firstAt: or(null, 0), nextAt: 0 }
const outgoing = { message, ...attempts } satisfies Example<Outgoing>

const counts = { sentCount: 0, lostCount: 0, lastSentAt: or(null, 0), isFailing: true }
const failure = or(null, { code: oneOf(notifyFailures), since: 0 })
const record = { ...counts, failure } satisfies Example<DeliveryRecord>

const event = { id: '', startsAt: 0 }
const made = { madeAt: [0], madeCount: 0 }
const told = { subjects: [subject], happened: [event], outgoing: or(null, outgoing) }
const memory = { version: oneOf([1]), ...told, ...made, record } satisfies Example<NotifyMemory>

export interface FailedAttempt {
  readonly code: NotifyFailure
  /** Seconds that the receiver asks to wait; null if it does not. */
  readonly retryAfterSeconds: number | null
}

// See docs/limits.md#messages.
const GIVE_UP_MS = HOUR_MS
const WAIT_MS_MIN = 5_000
const WAIT_MS_MAX = 10 * MINUTE_MS
/** Failures that an operator must fix, so they are retried rarely. */
const SLOW: readonly NotifyFailure[] = ['refused', 'redirected', 'bad_address']

/** The memory after its message was delivered. */
export function delivered(memory: NotifyMemory, now: EpochMs): NotifyMemory {
  const sentCount = memory.record.sentCount + 1
  const record = { ...memory.record, sentCount, lastSentAt: now, failure: null, isFailing: false }
  return { ...memory, outgoing: null, record }
}

/**
 * The memory after a failed attempt. The message is retried, or given up after an hour of attempts; subjects still open are then reported again in a
 * new message.
 */
export function failed(
  memory: NotifyMemory,
  { code, retryAfterSeconds }: FailedAttempt,
  now: EpochMs,
  random: () => number,
): NotifyMemory {
  const { outgoing } = memory
  if (outgoing === null) return memory
  const record = { ...memory.record, failure: { code, since: memory.record.failure?.since ?? now } }
  const firstAt = outgoing.firstAt ?? now
  if (now - firstAt >= GIVE_UP_MS) {
    const lost = new Map(outgoing.message.notices.map(({ id, times }) => [id, times]))
    const subjects = memory.subjects.map((subject) => {
      const times = subject.isOpen ? lost.get(subject.notice.id) : undefined
      if (times === undefined) return subject
      return { ...subject, isToldOpen: false, times: subject.times + times, newsAt: now }
    })
    const lostCount = record.lostCount + 1
    return {
      ...memory,
      subjects,
      outgoing: null,
      record: { ...record, lostCount, isFailing: true },
    }
  }
  const attemptCount = outgoing.attemptCount + 1
  const waitMs = SLOW.includes(code)
    ? WAIT_MS_MAX
    : Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** (attemptCount - 1))
  const soonest = Math.min(now + waitMs * (0.5 + 0.5 * random()), firstAt + GIVE_UP_MS)
  const nextAt = epochMs(Math.max(soonest, now + (retryAfterSeconds ?? 0) * 1000))
  return { ...memory, record, outgoing: { ...outgoing, attemptCount, firstAt, nextAt } }
}
