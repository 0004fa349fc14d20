import type { EpochMs, Interval } from '@svc/core'
import { addedCycles } from '@svc/core/pool'
import type { Clock, HistoryFailureCode, Log, ReadFailure } from '@svc/core/service'
import { type HistoryQuestions, historyQuestions } from '../answers/history-questions.ts'
import { ChannelError, forwarded } from '../threads/channel.ts'
import { startThread, type Thread } from '../threads/thread.ts'
import type { PricesInUse, ReaderApi, ReaderSetup } from './store-threads.ts'

export interface StoreReaderOptions extends ReaderSetup {
  readonly workerUrl: URL
  /** Called with the reason when the store could not be read. */
  readonly onDamage: (code: HistoryFailureCode) => void
  readonly clock: Clock
  readonly log: Log
}

/** The reader of the history cannot answer now, because too many questions wait or it is being replaced. */
export class ReaderBusy extends Error {
  override readonly name = 'ReaderBusy'
  readonly code = 'reader_busy'
}

/** Maximum number of waiting questions; the next one is rejected. See docs/limits.md#history-store. */
const WAITING_MAX = 8
const RESPAWN_MS_MIN = 250
const RESPAWN_MS_MAX = 30_000
/** Number of accounts in one question about windows, so that no question takes long and others are answered in between. */
const ACCOUNTS_AT_ONCE = 20
/** Longest time for an answer in milliseconds; a longer question is given up, together with its thread. See docs/limits.md#history-store. */
const ANSWER_MS_MAX = 30_000
const CLOSE_MS_MAX = 1_000
/** Longest time in which a store that is being created, or a reader that is being replaced, becomes readable again. */
const UNREADABLE_MS_MAX = 30_000
const REPLACED = 'the reader of the history store is being replaced'
/** Failures of the store itself, on whichever thread they occur. */
const DAMAGE: ReadonlySet<string> = new Set<HistoryFailureCode>([
  'corrupt',
  'not_a_database',
  'not_ours',
  'io_error',
])
/** Reasons a store can be written but not read. */
const READ_FAILURES = [
  'cannot_open',
  'busy',
  'read_only',
  'disk_full',
  'module_missing',
  'unreachable',
  'not_trusted',
  'login_refused',
  'not_permitted',
  'server_too_old',
] as const satisfies readonly HistoryFailureCode[]

export function createStoreReader(options: StoreReaderOptions) {
  const { place, retentionDays, language, silentMsMax, onDamage, clock, log } = options
  const setup: ReaderSetup = { place, retentionDays, language, silentMsMax }
  let thread: Thread<ReaderApi> | null = null
  let labels: ReadonlyMap<string, string> = new Map()
  let prices: PricesInUse | null = null
  let respawnMs = RESPAWN_MS_MIN
  let respawnAtMs = 0
  let stopped = false
  let lagSeconds = 0
  /** Failure of summaries and its start; null while they succeed. */
  let failing: (ReadFailure & { readonly sinceMs: number }) | null = null

  const running = (): Thread<ReaderApi> => {
    if (thread !== null) return thread
    if (stopped || clock.monotonicMs() < respawnAtMs) throw new ReaderBusy(REPLACED)
    const started = startThread<ReaderApi>({
      url: options.workerUrl,
      name: 'store-reader',
      setup,
      near: {},
      onCrash(error) {
        log.error('reader of the history store ended', { error })
        forget()
      },
    })
    started.tell('useLabels', [labels])
    if (prices !== null) started.tell('usePrices', [prices])
    thread = started
    return started
  }

  /** Drops the thread; the next one starts on demand after a pause that grows with each crash. */
  const forget = () => {
    thread = null
    respawnAtMs = clock.monotonicMs() + respawnMs
    respawnMs = Math.min(RESPAWN_MS_MAX, respawnMs * 2)
  }

  const ask = async <Answer>(
    question: (asked: Thread<ReaderApi>) => Promise<Answer>,
    waitingMax: number,
  ): Promise<Answer> => {
    const asked = running()
    if (asked.pendingCount() >= waitingMax)
      throw new ReaderBusy('too many questions to the history store at once')
    const cancelDeadline = clock.schedule(ANSWER_MS_MAX, () => {
      if (thread === asked) forget()
      void asked.terminate()
    })
    try {
      const answer = await question(asked)
      respawnMs = RESPAWN_MS_MIN
      return answer
    } catch (error) {
      if (error instanceof ChannelError && error.code === 'crashed') throw new ReaderBusy(REPLACED)
      if (error instanceof ChannelError && DAMAGE.has(error.code))
        onDamage(error.code as HistoryFailureCode)
      throw error
    } finally {
      cancelDeadline()
    }
  }

  // A download under way is not cut off by charts; few run at once.
  const questions = forwarded<HistoryQuestions>(historyQuestions, (question, args) =>
    ask(
      (asked) => asked.call(question, args),
      question === 'rows' ? Number.POSITIVE_INFINITY : WAITING_MAX,
    ),
  )

  return {
    ...questions,
    ranking: (...of: Parameters<ReaderApi['ranking']>) =>
      ask((asked) => asked.call('ranking', of), WAITING_MAX),
    async cycles(weights: ReadonlyMap<string, number>, span: Interval) {
      const accounts = [...weights]
      const partOf = (start: number) =>
        questions.cycles(new Map(accounts.slice(start, start + ACCOUNTS_AT_ONCE)), span)
      let cycles = await partOf(0)
      for (let start = ACCOUNTS_AT_ONCE; start < accounts.length; start += ACCOUNTS_AT_ONCE)
        cycles = addedCycles(cycles, await partOf(start))
      return cycles
    },
    async summary(now: EpochMs) {
      try {
        const answer = await questions.summary(now)
        failing = null
        lagSeconds = answer.history.lagSeconds ?? 0
        return answer
      } catch (error) {
        const { since, sinceMs } = failing ?? { since: clock.now(), sinceMs: clock.monotonicMs() }
        failing = { since, sinceMs, reason: reasonOf(error) }
        throw error
      }
    },
    /** Null while summaries succeed, and for the first 30 s of failures. */
    failure(): ReadFailure | null {
      if (failing === null) return null
      const { sinceMs, ...failure } = failing
      return clock.monotonicMs() - sinceMs < UNREADABLE_MS_MAX ? null : failure
    },
    /** Lag of the standby at the last summary, in seconds. */
    lagSeconds: () => lagSeconds,
    useLabels(next: ReadonlyMap<string, string>) {
      labels = next
      thread?.tell('useLabels', [next])
    },
    usePrices(next: PricesInUse) {
      prices = next
      thread?.tell('usePrices', [next])
    },
    /** Records that the store was opened: earlier failures no longer count. After the first opening it may be another file. */
    noteOpening(isFirst: boolean) {
      failing = null
      if (!isFirst) thread?.tell('close', [])
    },
    /** Resolves with whether the thread has ended. */
    async stop(): Promise<boolean> {
      stopped = true
      return (await thread?.end({ clock, closeMs: CLOSE_MS_MAX }, thread.call('close', []))) ?? true
    },
  }
}

export type StoreReader = ReturnType<typeof createStoreReader>

function reasonOf(error: unknown): HistoryFailureCode | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return READ_FAILURES.find((reason) => reason === code) ?? null
}
