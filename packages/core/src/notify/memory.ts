import { type NotifyStanding, notifyFailures, notifyTopics } from '../facts/notify.ts'
import type { EpochMs } from '../facts/time.ts'
import type { Message, Notice, ToldNotice } from './notice.ts'

/** What a target was told and what it is still to be told: plain JSON, so that a store can keep it. */
export interface NotifyMemory {
  readonly version: 1
  readonly subjects: readonly Subject[]
  /** The last things without an end that were taken up. */
  readonly happened: readonly Pick<Notice, 'id' | 'startsAt'>[]
  /** The message under way; null for none. The next one is made once this one is delivered or given up. */
  readonly outgoing: Outgoing | null
  /** Times of the messages made in the last hour. */
  readonly madeAt: readonly EpochMs[]
  readonly madeCount: number
  readonly record: DeliveryRecord
}

/** Something that is open, was a short time ago, or has happened and is not told yet. */
export interface Subject {
  readonly notice: Notice
  /** Whether it was there in the last evaluation, and since when it is there or not. */
  readonly isSeen: boolean
  readonly since: EpochMs
  /** Whether it is open; follows `isSeen` once that has held. */
  readonly isOpen: boolean
  /** False for what has happened. */
  readonly hasEnd: boolean
  /** Whether it is open for all the target knows. */
  readonly isToldOpen: boolean
  /** Null: never told. */
  readonly toldAt: EpochMs | null
  /** Openings that are not told yet. */
  readonly times: number
  /** Earliest time at which what is new may be told; null if nothing is. */
  readonly newsAt: EpochMs | null
  /** Whether it opened again soon after it was told. */
  readonly flaps: boolean
}

/** A message that is not delivered yet. */
export interface Outgoing {
  readonly message: Message
  readonly attemptCount: number
  /** Null before the first attempt. */
  readonly firstAt: EpochMs | null
  readonly nextAt: EpochMs
}

/** What has become of the messages to a target. */
export type DeliveryRecord = Omit<NotifyStanding, 'name' | 'kind' | 'waitingCount'>

/** Nothing told. */
export const emptyMemory: NotifyMemory = {
  version: 1,
  subjects: [],
  happened: [],
  outgoing: null,
  madeAt: [],
  madeCount: 0,
  record: { sentCount: 0, lostCount: 0, lastSentAt: null, failure: null, isFailing: false },
}

/**
 * The memory after a time that was not watched, or over which the clock jumped: what had come up shortly before, and did not hold yet, is to come up
 * anew. What had gone keeps the time of its end.
 */
export function withoutComings(memory: NotifyMemory): NotifyMemory {
  const subjects = memory.subjects.map((subject) =>
    subject.isOpen ? subject : { ...subject, isSeen: false },
  )
  return { ...memory, subjects }
}

/** Most entries of any list of a memory. */
export const ENTRIES_MAX = 100
const TEXT_MAX = 4_000_000

/** The memory that `JSON.stringify` made a text of; an empty one if the text is anything else. */
export function parseMemory(text: string): NotifyMemory {
  try {
    const value: unknown = text.length > TEXT_MAX ? null : JSON.parse(text)
    return isLike(value, memory) ? (value as NotifyMemory) : emptyMemory
  } catch {
    return emptyMemory
  }
}

/** Whether a value has the shape of an example: its fields and no others, a list of what the first entry is like, or what a function accepts. */
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

const toldNotice = { ...notice, endsAt: or(null, 0), times: 0 } satisfies Example<ToldNotice>
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
