import type { AccountDirectory, UsageSink } from '@svc/collector'
import { type EpochMs, plusMs } from '@svc/core'
import type {
  Clock,
  HistoryFailureCode,
  HistoryState,
  Log,
  PoolRecord,
  ReceiptTime,
} from '@svc/core/service'
import type { IngestedUsage, UsageGap } from '@svc/core/usage'
import type { IngestTimes, PoolMemoryUpdate, RetentionPlan } from '@svc/history'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import { ChannelError, type NothingOffered } from '../threads/channel.ts'
import { startThread, type Thread } from '../threads/thread.ts'
import type { OpenedStore, WriterApi } from './store-threads.ts'

export interface StoreWriterOptions {
  readonly path: string
  readonly retention: RetentionPlan
  /** File of the worker. */
  readonly workerUrl: URL
  readonly clock: Clock
  readonly trustedClock: TrustedClock
  readonly log: Log
  /** Called with what the store holds whenever it was opened. */
  readonly onOpen: (opened: OpenedStore, isFirst: boolean) => void
  readonly onUsage: (usage: IngestedUsage) => void
  readonly onGap: (gap: UsageGap) => void
  /** How much older than the history reaches back its oldest row is. */
  readonly onBacklog: (seconds: number) => void
  readonly onMissing: (requestCount: number) => void
  /** The state is another. */
  readonly onState: () => void
}

/** The store's one writer, in a thread of its own. While it cannot write it keeps retrying. */
export interface StoreWriter {
  readonly sink: Omit<UsageSink, 'useLabels'>
  state(): HistoryState
  /** A reader has met what is wrong with the store. */
  damaged(code: HistoryFailureCode): void
  /** Rejects when it is not stored. */
  recordPool(record: PoolRecord, memory: PoolMemoryUpdate | null): Promise<void>
  start(): void
  /** Stores what is on its way and closes the file. Resolves with whether the thread has ended. */
  stop(): Promise<boolean>
}

/** Another thread that starts up would delay the moment from which the service listens. */
const FIRST_OPEN_MS = 100
const REOPEN_MS_MIN = 2_000
const REOPEN_MS_MAX = 60_000
const MAINTAIN_EVERY_MS = 60_000
const FIRST_MAINTAIN_MS = 2_000
const FORGET_EVERY_MS = 60_000
/** Pause between two slots of forgetting, in slots, and at least. */
const PAUSE_PER_FORGETTING = 9
const FORGET_PAUSE_MS_MIN = 100
const CLOSE_MS_MAX = 5_000
/** A call that takes longer is taken to hang; on a disk that works none does. */
const ANSWER_MS_MAX = 30_000
const DAMAGE: ReadonlySet<HistoryFailureCode> = new Set<HistoryFailureCode>(['corrupt', 'io_error'])

export function createStoreWriter(options: StoreWriterOptions): StoreWriter {
  const { path, clock, trustedClock, log } = options
  let worker: Thread<WriterApi> | null = null
  let state: HistoryState = { kind: 'opening' }
  let lastPollAt: EpochMs | null = null
  let directory: AccountDirectory | null = null
  let reopenMs = REOPEN_MS_MIN
  let cancelNext = () => {}
  let cancelForgetting = () => {}
  let onReady = () => {}
  let wasOpen = false
  let stopped = false
  /** After damage an opening proves nothing until every page has been read. */
  let thorough = false

  const become = (next: HistoryState, detail: string | null = null) => {
    const changed =
      next.kind !== state.kind ||
      (next.kind === 'failing' && state.kind === 'failing' && next.code !== state.code)
    state = next
    if (!changed) return
    if (next.kind === 'failing')
      log.error(
        'history store not usable',
        { reason: next.code, ...(detail === null ? {} : { detail }) },
        'news',
      )
    if (next.kind === 'ok') log.info('history store open')
    options.onState()
  }

  const fail = (code: HistoryFailureCode, detail: string | null = null) => {
    const since = state.kind === 'failing' ? state.since : clock.now()
    thorough ||= DAMAGE.has(code)
    become({ kind: 'failing', code, since }, detail)
    cancelNext()
    cancelForgetting()
    if (!stopped) cancelNext = clock.schedule(reopenMs, () => void open())
    reopenMs = Math.min(REOPEN_MS_MAX, reopenMs * 2)
  }

  /** What the worker answers; a failure of the store closes it, because after a failed write only opening it anew shows what is in the file. */
  const ask = async <Value>(
    question: (asked: Thread<WriterApi>) => Promise<Value>,
  ): Promise<Value> => {
    if (worker === null || state.kind !== 'ok') throw new ChannelError('cannot_open')
    try {
      return await watched(question(worker))
    } catch (error) {
      // One call after the other fails when the store does; the first one closes it.
      if (state.kind === 'ok') {
        worker?.tell('close', [])
        fail(codeOf(error))
      }
      throw error
    }
  }

  const useAccounts = (next: AccountDirectory) => ask((asked) => asked.call('useAccounts', [next]))

  const isSilent = () => state.kind === 'failing' && state.code === 'not_answering'

  /** The call; while it does not return the store counts as failing, afterwards as what it was before. */
  const watched = async <Value>(call: Promise<Value>): Promise<Value> => {
    let before: HistoryState | null = null
    let cancel = () => {}
    const watch = () => {
      cancel = clock.schedule(ANSWER_MS_MAX, () => {
        // An earlier call has said so already; this one may go on hanging after it.
        if (isSilent()) return watch()
        before = state
        become({
          kind: 'failing',
          code: 'not_answering',
          since: plusMs(clock.now(), -ANSWER_MS_MAX),
        })
      })
    }
    watch()
    try {
      return await call
    } finally {
      cancel()
      if (before !== null && isSilent()) {
        become(before)
        if (state.kind === 'ok') ready()
      }
    }
  }

  /** The store takes usage from now on; the accounts may be others than when it last did. */
  const ready = () => {
    if (directory !== null) void useAccounts(directory).catch(() => undefined)
    onReady()
  }

  const open = async (): Promise<void> => {
    if (stopped) return
    worker ??= startThread<WriterApi, NothingOffered>({
      url: options.workerUrl,
      name: 'store-writer',
      setup: null,
      near: {},
      onCrash(error) {
        worker = null
        if (!stopped) fail('crashed', error)
      },
    })
    try {
      const isFirst = !wasOpen
      const opened = await watched(
        worker.call('open', [{ path, now: clock.now(), isFirst, thorough }]),
      )
      wasOpen = true
      if (stopped) return
      lastPollAt = opened.lastPollAt
      trustedClock.storeSaid(opened)
      reopenMs = REOPEN_MS_MIN
      thorough = false
      become({
        kind: 'ok',
        at: clock.now(),
        walBytes: 0,
        missedSeconds: 0,
        backlogSeconds: null,
        readFailure: null,
      })
      if (opened.interrupted !== null) options.onGap(opened.interrupted)
      options.onOpen(opened, isFirst)
      cancelNext = clock.schedule(FIRST_MAINTAIN_MS, () => void maintain())
      cancelForgetting()
      cancelForgetting = clock.schedule(FIRST_MAINTAIN_MS, () => void forget())
      ready()
    } catch (error) {
      if (worker !== null) fail(codeOf(error), error instanceof ChannelError ? error.detail : null)
    }
  }

  /** Forgets what is too old, a little at a time: at most a tenth of the thread's time goes into it. */
  const forget = async (): Promise<void> => {
    const asOf = trustedClock.forgettingTime()
    const startedMs = clock.monotonicMs()
    const report =
      asOf === null
        ? null
        : await ask((asked) => asked.call('forget', [options.retention, asOf])).catch(() => null)
    if (stopped || state.kind !== 'ok') return
    if (asOf !== null && report !== null) {
      trustedClock.forgotten(asOf)
      const backlogSeconds = report.backlogMs / 1000
      become({ ...state, backlogSeconds })
      options.onBacklog(backlogSeconds)
    }
    const tookMs = clock.monotonicMs() - startedMs
    const pauseMs =
      report?.more === true
        ? Math.max(FORGET_PAUSE_MS_MIN, PAUSE_PER_FORGETTING * tookMs)
        : FORGET_EVERY_MS
    cancelForgetting = clock.schedule(pauseMs, () => void forget())
  }

  const maintain = async (): Promise<void> => {
    const report = await ask((asked) => asked.call('maintain', [trustedClock.usageNow()])).catch(
      () => null,
    )
    if (stopped || (state.kind !== 'ok' && !isSilent())) return
    if (report !== null) {
      trustedClock.storeSaid(report)
      const backlogSeconds = state.kind === 'ok' ? state.backlogSeconds : null
      const { walBytes, missedMs } = report
      become({
        kind: 'ok',
        at: clock.now(),
        walBytes,
        missedSeconds: missedMs / 1000,
        backlogSeconds,
        readFailure: null,
      })
    }
    cancelNext = clock.schedule(MAINTAIN_EVERY_MS, () => void maintain())
  }

  const sunk = async (
    usage: (times: IngestTimes) => Promise<IngestedUsage | null>,
    time: ReceiptTime,
  ): Promise<IngestedUsage | null> => {
    const times = { ...trustedClock.read(), ...time }
    const stored = await usage(times)
    if (stored !== null) {
      if (times.doubt === null) lastPollAt = times.usageAt
      if (stored.newestAt !== null) trustedClock.recordStored(stored.newestAt)
      options.onUsage(stored)
      if (stored.gap !== null) options.onGap(stored.gap)
    }
    return stored
  }

  return {
    sink: {
      refusal() {
        if (state.kind !== 'ok') return 'store_unavailable'
        return trustedClock.read().doubt === null ? null : 'clock_doubted'
      },
      now: () => trustedClock.usageNow(),
      position: () => ({ lastPollAt }),
      onReady(listener) {
        onReady = listener
      },
      useAccounts(next) {
        directory = next
        if (state.kind === 'ok') void useAccounts(next).catch(() => undefined)
      },
      markPop: (at) => ask((asked) => asked.call('markPop', [at])),
      clearPop: () => ask((asked) => asked.call('clearPop', [])),
      async recordGap(gap) {
        await ask((asked) => asked.call('recordGap', [gap]))
        options.onGap(gap)
      },
      async recordMissing(requestCount, gap) {
        await ask((asked) => asked.call('recordMissing', [requestCount, gap]))
        options.onGap(gap)
        options.onMissing(requestCount)
      },
      storeQueue: (answer, time) =>
        sunk((times) => ask((asked) => asked.call('storeQueue', [answer, times])), time),
      openTree: () => ({
        // The network layer may hand out views of one buffer, so the bytes are copied before they are given away.
        push(chunk) {
          const bytes = chunk.slice()
          worker?.tell('pushTree', [bytes], [bytes.buffer])
        },
        store: (time) => sunk((times) => ask((asked) => asked.call('storeTree', [times])), time),
        drop: () => worker?.tell('dropTree', []),
      }),
    },
    state: () => state,
    damaged(code) {
      if (state.kind !== 'ok') return
      worker?.tell('close', [])
      fail(code)
    },
    recordPool({ changes, ...record }, memory) {
      // What was noted while the clock was wrong has happened by now.
      const { latest } = trustedClock.read()
      const possible = changes.map((change) =>
        change.at > latest ? { ...change, at: latest } : change,
      )
      return ask((asked) => asked.call('recordPool', [{ ...record, changes: possible }, memory]))
    },
    start() {
      trustedClock.onTurn(() => {
        if (state.kind === 'ok' && trustedClock.read().doubt === null) onReady()
      })
      cancelNext = clock.schedule(FIRST_OPEN_MS, () => void open())
    },
    async stop() {
      stopped = true
      cancelNext()
      cancelForgetting()
      return (await worker?.end({ clock, closeMs: CLOSE_MS_MAX }, worker.call('close', []))) ?? true
    },
  }
}

function codeOf(error: unknown): HistoryFailureCode {
  const code = error instanceof ChannelError ? error.code : 'crashed'
  return (code === 'internal' ? 'crashed' : code) as HistoryFailureCode
}
