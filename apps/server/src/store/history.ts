import type { UsageSink } from '@svc/collector'
import type { Config } from '@svc/config'
import type { Clock, HistoryState, Log, PoolRecord, RecentChange } from '@svc/core'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { TrendSeed } from '../monitor/trend-watch.ts'
import { createStoreReader, type StoreReader } from './store-reader.ts'
import { createStoreWriter } from './store-writer.ts'

/** Files of the worker threads. */
export interface WorkerUrls {
  readonly storeWriter: URL
  readonly storeReader: URL
}

/** The history as the rest of the service sees it: what is written, what is read, and how it does. */
export interface History {
  readonly sink: UsageSink
  readonly reader: Pick<StoreReader, 'summary' | 'chart'>
  state(): HistoryState
  /** Changes recorded before this process started; each is handed out once. */
  takeRecordedChanges(): readonly RecentChange[]
  /** Keeps the course of the pool. Rejects when it is not kept. */
  keep(record: PoolRecord): Promise<void>
  /** `onChange` is called whenever there is something new to show. */
  start(onChange: () => void): void
  /** Resolves with whether its threads have ended; one that hangs in a call of the system does not. */
  stop(): Promise<boolean>
}

export interface HistoryOptions {
  readonly config: Pick<Config, 'usageRetentionDays' | 'historyRetentionDays'>
  /** Told what earlier processes have kept, once. */
  readonly onSeed: (seed: TrendSeed) => void
  /** The store holds usage that it did not hold before. */
  readonly onStored: () => void
  readonly path: string
  readonly workers: WorkerUrls
  readonly metrics: Metrics
  readonly clock: Clock
  readonly trustedClock: TrustedClock
  readonly log: Log
}

export function createHistory({ config, path, workers, metrics, onSeed, onStored, clock, trustedClock, log }: HistoryOptions): History {
  const { usageRetentionDays, historyRetentionDays } = config
  let recorded: readonly RecentChange[] = []
  let onChange = () => {}

  const reader = createStoreReader({
    path,
    retentionDays: usageRetentionDays,
    workerUrl: workers.storeReader,
    onDamage: (code) => writer.damaged(code),
    clock,
    log,
  })
  const writer = createStoreWriter({
    path,
    retention: { usageDays: usageRetentionDays, historyDays: historyRetentionDays },
    workerUrl: workers.storeWriter,
    clock,
    trustedClock,
    log,
    onOpen(opened, isFirst) {
      if (!isFirst) return reader.reopen()
      onSeed(opened)
      recorded = opened.isNew ? [{ at: clock.now(), tone: 'good', detail: { code: 'history_started' } }] : opened.changes
      onChange()
    },
    onUsage({ tally }) {
      metrics.onUsage(tally)
      if (tally.stored > 0) onStored()
    },
    onGap: metrics.onGap,
    onMissing: metrics.onMissing,
    onBacklog: metrics.onBacklog,
    onState: () => onChange(),
  })

  return {
    sink: { ...writer.sink, useLabels: reader.useLabels },
    reader,
    state: writer.state,
    takeRecordedChanges() {
      const taken = recorded
      recorded = []
      return taken
    },
    keep: writer.recordPool,
    start(changed) {
      onChange = changed
      writer.start()
    },
    async stop() {
      // The last to leave takes the WAL file away, which a reader may not.
      const readerEnded = await reader.stop()
      return (await writer.stop()) && readerEnded
    },
  }
}
