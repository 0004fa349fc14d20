import type { UsageSink } from '@svc/collector'
import type { Config } from '@svc/config'
import type { EpochMs } from '@svc/core'
import {
  type Clock,
  type HistoryState,
  type Log,
  type PoolMemoryUpdate,
  type PoolRecord,
  type RecentChange,
  type RememberedPool,
  silentMsMaxOf,
  type UpstreamName,
} from '@svc/core/service'
import type { Language } from '@svc/views'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import { createReadWatch } from './read-failure.ts'
import { createSharedHistory, type SharedHistory } from './shared-history.ts'
import type { Sharing } from './sharing.ts'
import { createStoreReader, type StoreReader } from './store-reader.ts'
import type { SeenPool, StorePlace, TrendSeed } from './store-threads.ts'
import { createStoreWriter } from './store-writer.ts'

/** Files of the worker threads. */
export interface WorkerUrls {
  readonly storeWriter: URL
  readonly storeReader: URL
  readonly storeLeases: URL
}

/** What an earlier process has left. */
export interface RecordedPast {
  /** Newest first. */
  readonly changes: readonly RecentChange[]
  /** The pool to compare with; null where it was never kept, or where this process has its own by now. */
  readonly remembered: RememberedPool | null
}

/** The history as the rest of the service sees it: what is written, what is read, and how it does. */
export interface History {
  /** Where the usage of this proxy goes. */
  sinkOf(upstream: UpstreamName): UsageSink
  readonly reader: Pick<StoreReader, 'summary' | 'chart' | 'course'>
  state(): HistoryState
  /** What was recorded before this process started; handed out once. Null while it may still come. */
  takeRecorded(): RecordedPast | null
  /** How it is shared with other monitors; null where it is not. */
  readonly shared: SharedHistory | null
  /** Keeps the course of the pool. Rejects when it is not kept. */
  keep(record: PoolRecord, memory: PoolMemoryUpdate | null): Promise<void>
  start(listener: HistoryListener): void
  /** Tries a store that cannot be used again now, as after its password was replaced. */
  retry(): void
  /** Resolves with whether its threads have ended; one that hangs in a call of the system does not. */
  stop(): Promise<boolean>
}

/** Callbacks for changes of the history. */
export interface HistoryListener {
  /** Called once with what earlier processes have stored; `remembered`: their last pool, where it is read in time to be compared with. */
  readonly onSeed: (seed: TrendSeed, remembered: RememberedPool | null) => void
  /** The store holds usage that it did not hold before. */
  readonly onStored: () => void
  /** Called now and then with what other monitors have stored, while one of them decides something. */
  readonly onSeen: (seen: SeenPool) => void
  /** There is something new to show. */
  readonly onChange: () => void
}

const NOTHING: RecordedPast = { changes: [], remembered: null }
/** Longest wait for a store that is being opened, before the pool is compared without it. */
const AWAITED_MS = 30_000

export interface HistoryOptions {
  readonly settings: Config['history']
  readonly place: StorePlace
  readonly language: Language
  readonly workers: WorkerUrls
  readonly report: Report
  /** Where is counted what is of one proxy. */
  readonly reportOf: (upstream: UpstreamName) => UpstreamReport
  readonly clock: Clock
  readonly trustedClock: TrustedClock
  readonly log: Log
  /** Null where nobody else may have the store open. */
  readonly sharing: Sharing | null
}

const NOBODY: HistoryListener = {
  onSeed: () => undefined,
  onStored: () => undefined,
  onSeen: () => undefined,
  onChange: () => undefined,
}

export function createHistory(options: HistoryOptions): History {
  const { report, clock } = options
  const { usageRetentionDays, historyRetentionDays } = options.settings
  const untilMs = clock.monotonicMs() + AWAITED_MS
  let recorded: RecordedPast | null = null
  const isAwaited = () =>
    recorded === null && writer.state().kind === 'opening' && clock.monotonicMs() < untilMs
  let wasAwaited = true
  /** As of the last summary. */
  let lagSeconds = 0
  let listener = NOBODY

  const reader = createStoreReader({
    ...options,
    retentionDays: usageRetentionDays,
    silentMsMax: silentMsMaxOf(options.settings.historyWriteSeconds),
    workerUrl: options.workers.storeReader,
    onDamage: (code) => writer.damaged(code),
  })
  const reads = createReadWatch(clock)
  const writer = createStoreWriter({
    ...options,
    retention: { usageDays: usageRetentionDays, historyDays: historyRetentionDays },
    workerUrl: options.workers.storeWriter,
    onOpen(opened, isFirst) {
      reads.reopened()
      if (!isFirst) return reader.reopen()
      // Before it was opened there may have been nothing to ask.
      shared?.start()
      // Later on this process knows better.
      const remembered = wasAwaited ? opened.remembered : null
      listener.onSeed(opened, remembered)
      const changes = opened.isNew ? [historyStarted(clock.now())] : opened.changes
      recorded = { changes, remembered }
      listener.onChange()
    },
    onStored: () => listener.onStored(),
    report,
    onState: () => listener.onChange(),
  })

  const shared =
    options.sharing === null
      ? null
      : createSharedHistory(options.sharing, {
          writer,
          clock,
          onSeen: (seen) => listener.onSeen(seen),
          onChange: () => listener.onChange(),
        })

  return {
    shared,
    sinkOf: (upstream) => ({ ...writer.sinkOf(upstream), useLabels: reader.useLabels }),
    reader: {
      chart: reader.chart,
      course: reader.course,
      async summary(now) {
        const summary = await reads.watched(reader.summary(now))
        lagSeconds = summary.history.lagSeconds ?? 0
        return summary
      },
    },
    state() {
      const state = writer.state()
      if (state.kind !== 'ok') return state
      const isStandby = shared?.isStandby() ?? false
      return { ...state, readFailure: reads.failure(), isStandby, lagSeconds }
    },
    takeRecorded() {
      if (isAwaited()) return null
      wasAwaited = false
      const taken = recorded ?? NOTHING
      recorded = NOTHING
      return taken
    },
    keep: (record, memory) => writer.recordPool(record, memory),
    start(listening) {
      listener = listening
      writer.start()
    },
    retry: writer.retry,
    async stop() {
      // What was taken is stored by now, and the next monitor need not wait until the store is closed.
      await shared?.stop()
      // The last to leave takes the WAL file away, which a reader may not.
      const readerEnded = await reader.stop()
      return (await writer.stop()) && readerEnded
    },
  }
}

function historyStarted(at: EpochMs): RecentChange {
  return { at, tone: 'good', detail: { code: 'history_started' } }
}
