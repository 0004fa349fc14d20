import type { NotifyTarget } from '../facts/notify.ts'
import { DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS, plusMs } from '../facts/time.ts'
import {
  type DeliveredNotice,
  ENTRIES_MAX,
  type Notice,
  type NotifyMemory,
  type Subject,
} from './memory.ts'

// See docs/limits.md#messages for all of these.
/** Time a subject must be present to count as open, or absent to count as over. */
const HOLD_MS = MINUTE_MS
/** Time within which news is grouped into one message. */
const GROUP_MS = MINUTE_MS / 2
/** Shortest time between two messages about a subject that opens again and again. */
const FLAP_MS = 30 * MINUTE_MS
const MESSAGES_PER_HOUR = 20
/** Two equal events within this time count as one that two monitors found. */
const SAME_MS = 15 * MINUTE_MS
/** Maximum number of notices in a message; the others are only counted. */
const NOTICES_MAX = 20

export interface TellTime {
  readonly now: EpochMs
  /** Minute of the day in the time zone of the quiet hours. */
  readonly minuteOfDay: number
}

/**
 * Updates the memory, with a message to send if one is due. `nextAt`: time a message may become due without new notices; null for never. `happened`
 * may repeat earlier events.
 */
export function decideNotifications(
  earlier: NotifyMemory,
  notices: {
    readonly open: readonly Notice[]
    readonly happened: readonly Notice[]
    /** Whether an absent subject may reopen, as after a start, and so does not count as over. Default: none may. */
    readonly mayReturn?: (id: string) => boolean
  },
  rule: Pick<NotifyTarget, 'on' | 'minTone' | 'quiet' | 'quietBad'>,
  time: TellTime,
): { readonly memory: NotifyMemory; readonly nextAt: EpochMs | null } {
  const { now } = time
  const before = notAfter(earlier, now)
  const known = new Map(before.subjects.map((subject) => [subject.notice.id, subject]))
  const isWanted = ({ topic, tone }: Notice) =>
    rule.on.includes(topic) && (topic !== 'action' || tone === 'bad' || tone === rule.minTone)
  // What gets milder is not over, and does not open again by that.
  const found = notices.open.filter(
    (notice) => isWanted(notice) || known.get(notice.id)?.isOpen === true,
  )
  const open = new Map(found.map((notice) => [notice.id, notice]))
  const isTaken = (notice: Notice) =>
    before.happened.some(
      ({ id, startsAt }) => id === notice.id && Math.abs(startsAt - notice.startsAt) < SAME_MS,
    )
  const events = notices.happened.filter((notice) => isWanted(notice) && !isTaken(notice))
  const happened = [...new Map(events.map((notice) => [notice.id, notice])).values()]
  const subjects = [
    ...before.subjects.map((subject) => subjectNow(subject, { ...notices, open }, rule.on, now)),
    ...[...open.values()]
      .filter(({ id }) => !known.has(id))
      .map((notice) => newSubject(notice, now)),
    ...happened.map((notice) => newEvent(notice, now)),
  ].filter((subject) => !isForgotten(subject, now))
  const memory = {
    ...before,
    subjects: subjects.slice(0, ENTRIES_MAX),
    happened: [...before.happened, ...happened.map(({ id, startsAt }) => ({ id, startsAt }))].slice(
      -ENTRIES_MAX,
    ),
  }

  const quietTo = quietEnd(rule.quiet, time)
  const isHeldBack = ({ notice }: Subject) =>
    quietTo !== null && !(rule.quietBad && notice.tone === 'bad')
  const due = memory.subjects.filter((subject) => isDue(subject, now) && !isHeldBack(subject))
  const goesAt = sendingTime(due, before.madeAt)
  const isMade = before.outgoing === null && goesAt !== null && goesAt <= now
  const wakes = [quietTo, goesAt, ...memory.subjects.flatMap(wakesOf)]
  const later = wakes.filter((at) => at !== null && at > now).map(Number)
  return {
    memory: isMade ? withMessage(memory, due, open, now) : memory,
    nextAt: later.length === 0 ? null : epochMs(Math.min(...later)),
  }
}

function newSubject(notice: Notice, now: EpochMs): Subject {
  const unheard = { isToldOpen: false, toldAt: null, times: 0, newsAt: null, flaps: false }
  return { notice, isSeen: true, since: now, isOpen: false, hasEnd: true, ...unheard }
}

function newEvent(notice: Notice, now: EpochMs): Subject {
  return { ...newSubject(notice, now), isOpen: true, hasEnd: false, times: 1, newsAt: now }
}

function subjectNow(
  subject: Subject,
  {
    open,
    mayReturn,
  }: Pick<Parameters<typeof decideNotifications>[1], 'mayReturn'> & {
    readonly open: ReadonlyMap<string, Notice>
  },
  on: NotifyTarget['on'],
  now: EpochMs,
): Subject {
  if (!subject.hasEnd) return subject
  const notice = open.get(subject.notice.id)
  const isSeen = notice !== undefined
  const seen = isSeen === subject.isSeen ? subject : { ...subject, isSeen, since: now }
  const isAnew = seen !== subject && !seen.isOpen
  // What was told keeps its tone until it is over, so that its end is told of the same thing.
  const held =
    isSeen && !seen.isToldOpen && (isAnew || notice.tone !== seen.notice.tone)
      ? { ...seen, notice }
      : seen
  if (isSeen === held.isOpen || now - held.since < HOLD_MS) return held
  if (!isSeen && mayReturn?.(held.notice.id) === true) return held
  const { toldAt, since } = held
  if (isSeen) {
    const isPending = held.flaps && held.newsAt !== null
    const flaps = toldAt !== null && (isPending || since < toldAt + FLAP_MS)
    return withNews({ ...held, isOpen: true, times: held.times + 1, flaps }, now)
  }
  const over = { ...held, isOpen: false }
  if (!over.isToldOpen || over.newsAt !== null) return over
  return on.includes('recovered') ? withNews(over, now) : { ...over, isToldOpen: false }
}

function withNews(subject: Subject, now: EpochMs): Subject {
  const { newsAt, flaps, toldAt } = subject
  const soonest = flaps && toldAt !== null ? toldAt + FLAP_MS : 0
  return { ...subject, newsAt: epochMs(Math.max(newsAt ?? now, soonest)) }
}

/** Whether a subject can be forgotten: it is over, has no news, and reopening would no longer count as flapping. */
function isForgotten({ isSeen, isOpen, newsAt, toldAt }: Subject, now: EpochMs): boolean {
  return !isSeen && !isOpen && newsAt === null && (toldAt === null || now - toldAt >= FLAP_MS)
}

/** Whether a subject's news may be sent. A change that may still revert waits. */
function isDue({ isSeen, isOpen, newsAt }: Subject, now: EpochMs): boolean {
  return newsAt !== null && newsAt <= now && isSeen === isOpen
}

/** Time to send these subjects as one message; null without subjects. */
function sendingTime(due: readonly Subject[], madeAt: readonly EpochMs[]): EpochMs | null {
  if (due.length === 0) return null
  const first = Math.min(...due.map(({ newsAt }) => newsAt ?? Number.POSITIVE_INFINITY))
  const oldest = madeAt[madeAt.length - MESSAGES_PER_HOUR]
  return epochMs(Math.max(first + GROUP_MS, oldest === undefined ? 0 : oldest + HOUR_MS))
}

function wakesOf({ isSeen, isOpen, since, newsAt }: Subject): readonly EpochMs[] {
  return [
    ...(isSeen === isOpen ? [] : [plusMs(since, HOLD_MS)]),
    ...(newsAt === null ? [] : [plusMs(newsAt, GROUP_MS)]),
  ]
}

const TONES: readonly Notice['tone'][] = ['bad', 'warn', 'good']

function withMessage(
  memory: NotifyMemory,
  due: readonly Subject[],
  open: ReadonlyMap<string, Notice>,
  now: EpochMs,
): NotifyMemory {
  const told = due
    .map((subject) => ({ ...subject, notice: open.get(subject.notice.id) ?? subject.notice }))
    .sort((a, b) => TONES.indexOf(a.notice.tone) - TONES.indexOf(b.notice.tone))
  const notices = told.slice(0, NOTICES_MAX).map(
    ({ notice, isOpen, since, times }): DeliveredNotice => ({
      ...notice,
      endsAt: isOpen ? null : since,
      times,
    }),
  )
  const rest = memory.subjects.filter((subject) => !due.includes(subject))
  const heard = told
    .filter(({ hasEnd }) => hasEnd)
    .map((one) => ({ ...one, isToldOpen: one.isOpen, toldAt: now, times: 0, newsAt: null }))
  const madeCount = memory.madeCount + 1
  const omittedCount = told.length - notices.length
  const message = { id: `${now}-${madeCount}`, at: now, notices, omittedCount }
  return {
    ...memory,
    subjects: [...rest, ...heard],
    outgoing: { message, attemptCount: 0, firstAt: null, nextAt: now },
    madeAt: [...memory.madeAt, now],
    madeCount,
  }
}

/** Limits the times in the memory to the present after a clock was set back; waits start over. */
function notAfter(memory: NotifyMemory, now: EpochMs): NotifyMemory {
  const by = (time: EpochMs, ahead = 0) => epochMs(Math.min(time, now + ahead))
  const byOrNull = (time: EpochMs | null, ahead = 0) => (time === null ? null : by(time, ahead))
  const { subjects, madeAt, outgoing } = memory
  return {
    ...memory,
    subjects: subjects.map((subject) => ({
      ...subject,
      since: by(subject.since),
      toldAt: byOrNull(subject.toldAt),
      newsAt: byOrNull(subject.newsAt, FLAP_MS),
    })),
    madeAt: madeAt.map((at) => by(at)).filter((at) => at > now - HOUR_MS),
    outgoing: outgoing && {
      ...outgoing,
      firstAt: byOrNull(outgoing.firstAt),
      nextAt: by(outgoing.nextAt, HOUR_MS),
    },
  }
}

/** End of the current quiet hours if the zone keeps its offset; null outside quiet hours. */
function quietEnd(
  quiet: NotifyTarget['quiet'],
  { now, minuteOfDay: minute }: TellTime,
): EpochMs | null {
  if (quiet === null) return null
  const { from, to } = quiet
  const isQuiet = from <= to ? minute >= from && minute < to : minute >= from || minute < to
  const waitMs = ((to - minute) * MINUTE_MS + DAY_MS) % DAY_MS
  return isQuiet ? epochMs(now - (now % MINUTE_MS) + waitMs) : null
}
