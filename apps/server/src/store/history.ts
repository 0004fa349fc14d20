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
import { createStoreReader, type StoreReader } from './store-reader.ts'
import type { StorePlace, TrendSeed } from './store-threads.ts'
import { createStoreWriter } from './store-writer.ts'

/** Files of the worker threads. */
export interface WorkerUrls {
  readonly storeWriter: URL
  readonly storeReader: URL
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
}

const NOBODY: HistoryListener = {
  onSeed: () => undefined,
  onStored: () => undefined,
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

  return {
    sinkOf: (upstream) => ({ ...writer.sinkOf(upstream), useLabels: reader.useLabels }),
    reader: {
      chart: reader.chart,
      course: reader.course,
      summary: (now) => reads.watched(reader.summary(now)),
    },
    state() {
      const state = writer.state()
      return state.kind === 'ok' ? { ...state, readFailure: reads.failure() } : state
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
      // The last to leave takes the WAL file away, which a reader may not.
      const readerEnded = await reader.stop()
      return (await writer.stop()) && readerEnded
    },
  }
}

function historyStarted(at: EpochMs): RecentChange {
  return { at, tone: 'good', detail: { code: 'history_started' } }
}
