import type { NotifyFailure } from '../facts/notify.ts'
import { type EpochMs, epochMs, HOUR_MS, MINUTE_MS } from '../facts/time.ts'
import type { NotifyMemory } from './memory.ts'

/** A failed attempt to send a message. */
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
 * The memory after a failed attempt: the message waits for the next one, or is given up after an hour of attempts. Subjects still open are then
 * reported again in a new message.
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
