import type { EpochMs } from '@svc/core'
import {
  type DeliveredNotice,
  decideNotifications,
  delivered,
  emptyMemory,
  failed,
  type Message,
  type Notice,
  type NoticesByNames,
  type NoticesNow,
  type NotifyStanding,
  type NotifyTarget,
  parseMemory,
  withoutComings,
} from '@svc/core/notify'
import { type Clock, errorPlace, type Log } from '@svc/core/service'
import { deliver, type NotifyWords, within } from './delivery.ts'
import type { WordedMessage } from './kinds/kind.ts'

export function worded(message: Message, receiver: string, words: NotifyWords): WordedMessage {
  const notices = message.notices.map(tidied)
  const isOpen = ({ endsAt }: DeliveredNotice) => endsAt === null
  const openCount = notices.filter(isOpen).length
  const mark = notices.length > 1 ? '• ' : ''
  const lines = notices.flatMap((notice) => linesOf(notice, mark, words))
  if (message.omittedCount > 0) lines.push(words.omitted(message.omittedCount))
  return {
    message: { ...message, notices },
    receiver,
    title: words.heading(openCount, notices.length - openCount),
    text: lines.join('\n'),
    isUrgent: notices.some((notice) => isOpen(notice) && notice.tone === 'bad'),
  }
}

function linesOf(notice: DeliveredNotice, mark: string, words: NotifyWords): readonly string[] {
  const { title, upstream, times, endsAt, summary, remedy } = notice
  const place = upstream === undefined ? '' : ` [${upstream}]`
  const often = times > 1 ? ` (${words.times(times)})` : ''
  if (endsAt !== null) return [`${mark}${words.resolved}: ${title}${place}${often}`]
  return [
    `${mark}${title}${place}${often}`,
    ...[summary, remedy ?? ''].filter((line) => line !== ''),
  ]
}

/**
 * Cleans a notice: account names come from outside, so line breaks, characters that change the text direction, and unpaired surrogates are removed.
 */
function tidied(notice: DeliveredNotice): DeliveredNotice {
  const tidy = (text: string) => text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]|\p{Bidi_Control}/gu, ' ')
  const { title, summary, remedy } = notice
  const texts = { title: tidy(title), summary: tidy(summary) }
  return { ...notice, ...texts, ...(remedy === undefined ? {} : { remedy: tidy(remedy) }) }
}

/** Dependencies of a notifier. */
export interface NotifierDeps {
  readonly targets: readonly NotifyTarget[]
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
  readonly log: Log
  /** Minute of the day in the display time zone, for quiet hours. */
  readonly minuteOfDay: (at: EpochMs) => number
  /** Texts of messages, except those of notices, in the language of the service. */
  readonly words: NotifyWords
  /**
   * Stores the memory of a target under its name; null without a store. Rejects if storing fails: the message is sent all the same, and the memory
   * lasts as long as the process.
   */
  readonly keep: ((name: string, memory: string) => Promise<void>) | null
  /**
   * Whether this monitor, rather than another one with the same store, sends messages. Before it becomes true again, `restore` passes in the memories
   * of the other one.
   */
  readonly mayTell: () => boolean
  readonly onEnd: (target: string, result: 'sent' | 'lost') => void
  readonly onChange: () => void
}

/** Longest wait for the store before a message is sent. */
const KEEP_MS = 5_000
const STOP_MS = 2_000
/** Maximum age of the events that a monitor reports when it takes over. */
const RECENT_MS = 15 * 60_000
const RECENT_MAX = 100
/** Lead of the wall clock over the monotonic clock that counts as a jump; after a jump, no problem counts as having lasted. */
const JUMP_MS = 10_000

/** Creates a notifier for these targets, which work independently. */
export function createNotifier(deps: NotifierDeps) {
  const outboxes = deps.targets.map((target) => createOutbox(target, deps))
  return {
    /** Takes the open notices. `null` means that they are unknown; nothing is decided until they are known. */
    onNotices: (now: NoticesNow | null) => {
      for (const outbox of outboxes) outbox.onNotices(now)
    },
    /** Restores the memories of an earlier process or another monitor, by target name; an unreadable text counts as an empty memory. */
    restore: (memories: ReadonlyMap<string, string>) => {
      for (const { name, restore } of outboxes) restore(memories.get(name))
    },
    standings: (): readonly NotifyStanding[] => outboxes.map(({ standing }) => standing()),
    /** Ends attempts under way, after 2 s at most; unsent messages stay in the memory. */
    stop: async () => {
      await Promise.all(outboxes.map(({ stop }) => stop()))
    },
  }
}

export type Notifier = ReturnType<typeof createNotifier>

/** Sends the messages of one target, one after the other. A step is: decide, store, attempt, store. */
function createOutbox(target: NotifyTarget, deps: NotifierDeps) {
  const { clock, log } = deps
  const { name, kind } = target
  let memory = emptyMemory
  let kept = ''
  let open: readonly Notice[] | null = null
  let isSettling = false
  const seenIds = new Set<string>()
  /** Wall and monotonic time of the last decision; null if its input says nothing about the time since then. */
  let decidedAt: { readonly now: EpochMs; readonly ms: number } | null = null
  let recent: readonly { readonly notice: Notice; readonly untilMs: number }[] = []
  let running: Promise<void> | null = null
  let isAwaited = false
  let stopped = false
  let shown = ''
  let cancelTimer = (): void => undefined
  const halt = new AbortController()

  const mayTell = () => !stopped && deps.mayTell()

  const standing = (): NotifyStanding => {
    const waitingCount = memory.outgoing === null ? 0 : 1
    return { name, kind, ...memory.record, waitingCount }
  }

  const show = () => {
    const text = JSON.stringify(standing())
    if (text === shown) return
    shown = text
    deps.onChange()
  }

  const keep = async () => {
    show()
    const text = JSON.stringify(memory)
    if (text === kept) return
    try {
      if (deps.keep !== null) await within(clock, KEEP_MS, deps.keep(name, text))
      kept = text
    } catch {
      log.warn('what was told is not stored', { target: name })
    }
  }

  /** Decides which messages to send now. Returns the time at which that may change without new input; null for never. */
  const decide = (now: EpochMs): EpochMs | null => {
    if (open === null) return null
    const happened = recent.map(({ notice }) => notice)
    const time = { now, minuteOfDay: deps.minuteOfDay(now) }
    const mayReturn = (id: string) => isSettling && !seenIds.has(id)
    const ms = clock.monotonicMs()
    const isWatched = decidedAt !== null && now - decidedAt.now - (ms - decidedAt.ms) < JUMP_MS
    decidedAt = { now, ms }
    const before = isWatched ? memory : withoutComings(memory)
    const decided = decideNotifications(before, { open, happened, mayReturn }, target, time)
    memory = decided.memory
    return decided.nextAt
  }

  /** Attempts the message that is due. Returns the time of the next attempt; null without a message. */
  const attempt = async (now: EpochMs): Promise<EpochMs | null> => {
    const before = memory
    const { outgoing } = before
    if (outgoing === null || outgoing.nextAt > now) return outgoing?.nextAt ?? null
    const failure = await deliver(
      target,
      worded(outgoing.message, name, deps.words),
      deps,
      halt.signal,
    )
    // Another monitor tells now, or this one was ended in the middle: what came of the attempt is not known there either.
    if (halt.signal.aborted || !deps.mayTell() || memory !== before) return null
    const at = clock.now()
    memory = failure === null ? delivered(memory, at) : failed(memory, failure, at, deps.random)
    if (failure === null) deps.onEnd(name, 'sent')
    if (memory.record.lostCount > before.record.lostCount) {
      deps.onEnd(name, 'lost')
      log.warn('message given up', { target: name, kind, code: failure?.code ?? null }, 'news')
    }
    await keep()
    return at
  }

  const work = async () => {
    do {
      isAwaited = false
      cancelTimer()
      if (!mayTell()) return
      const nextAt = decide(clock.now())
      await keep()
      if (!mayTell()) return
      const attemptAt = await attempt(clock.now())
      const times = [nextAt, attemptAt].filter((at) => at !== null)
      if (stopped || times.length === 0) continue
      const waitMs = Math.min(...times) - clock.now()
      if (waitMs <= 0) isAwaited = true
      else cancelTimer = clock.schedule(waitMs, wake)
    } while (isAwaited)
  }

  const wake = (): void => {
    isAwaited = true
    if (running !== null || stopped) return
    running = work()
      .catch((error: unknown) =>
        log.error('telling fails', { target: name, place: errorPlace(error) }),
      )
      .finally(() => {
        running = null
        if (isAwaited) wake()
      })
  }

  return {
    name,
    standing,
    onNotices(now: NoticesNow | null): void {
      if (now === null) {
        open = null
        decidedAt = null
        return
      }
      const of = ({ named, unnamed }: NoticesByNames) =>
        (target.names ? named : unnamed).filter(({ notFor }) => notFor?.includes(name) !== true)
      const nowMs = clock.monotonicMs()
      const fresh = of(now.happened).map((notice) => ({ notice, untilMs: nowMs + RECENT_MS }))
      open = of(now.open)
      for (const { id } of open) seenIds.add(id)
      isSettling = now.isSettling === true
      recent = [...recent.filter(({ untilMs }) => untilMs > nowMs), ...fresh].slice(-RECENT_MAX)
      wake()
    },
    restore(text: string | undefined): void {
      if (text === undefined) return
      memory = parseMemory(text)
      decidedAt = null
      kept = text
      show()
      wake()
    },
    async stop(): Promise<void> {
      stopped = true
      cancelTimer()
      const stopping = within(clock, STOP_MS, running ?? Promise.resolve())
      await stopping.catch(() => halt.abort())
    },
  }
}
