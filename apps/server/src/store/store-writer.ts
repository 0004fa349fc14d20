import type { AccountDirectory, SunkUsage, UsageSink } from '@svc/collector'
import {
  type Clock,
  type EpochMs,
  type HistoryFailureCode,
  type HistoryState,
  type Log,
  type PoolRecord,
  plusMs,
  type UsageGap,
} from '@svc/core'
import type { RetentionPlan } from '@svc/history'
import type { MaintenanceReport, OpenedStore } from '../workers/store-writer-calls.ts'
import { startWorker, WorkerCallError, type WorkerCalls } from './worker-calls.ts'

export interface StoreWriterOptions {
  readonly path: string
  readonly retention: RetentionPlan
  /** File of the worker. */
  readonly workerUrl: URL
  readonly clock: Clock
  readonly log: Log
  /** Told what the store held when it was first opened. */
  readonly onOpen: (opened: OpenedStore) => void
  readonly onUsage: (usage: SunkUsage) => void
  readonly onGap: (gap: UsageGap) => void
  /** The state is another. */
  readonly onState: () => void
}

/** The store's one writer, in a thread of its own. While it cannot write it tries again by itself. */
export interface StoreWriter {
  readonly sink: Omit<UsageSink, 'useLabels'>
  state(): HistoryState
  /** Rejects when it is not stored. */
  recordPool(record: PoolRecord): Promise<void>
  start(): void
  /** Stores what is on its way and closes the file. Resolves with whether the thread has ended. */
  stop(): Promise<boolean>
}

/** Another thread starting up would make whoever waits for the service to listen wait longer. */
const FIRST_OPEN_MS = 100
const REOPEN_MS_MIN = 2_000
const REOPEN_MS_MAX = 60_000
const MAINTAIN_EVERY_MS = 60_000
const FIRST_MAINTAIN_MS = 2_000
const CLOSE_MS_MAX = 5_000
/** A call that takes longer is taken to hang; on a disk that works none does. */
const ANSWER_MS_MAX = 30_000

export function createStoreWriter(options: StoreWriterOptions): StoreWriter {
  const { path, clock, log } = options
  let worker: WorkerCalls | null = null
  let state: HistoryState = { kind: 'opening' }
  let lastPollAt: EpochMs | null = null
  let directory: AccountDirectory | null = null
  let reopenMs = REOPEN_MS_MIN
  let cancelNext = () => {}
  let onReady = () => {}
  let wasOpen = false
  let stopped = false

  const become = (next: HistoryState) => {
    const changed = next.kind !== state.kind || (next.kind === 'failing' && state.kind === 'failing' && next.code !== state.code)
    state = next
    if (!changed) return
    if (next.kind === 'failing') log.error('history store not usable', { reason: next.code })
    if (next.kind === 'ok') log.info('history store open')
    options.onState()
  }

  const fail = (code: HistoryFailureCode) => {
    const since = state.kind === 'failing' ? state.since : clock.now()
    become({ kind: 'failing', code, since })
    cancelNext()
    if (!stopped) cancelNext = clock.schedule(reopenMs, () => void open())
    reopenMs = Math.min(REOPEN_MS_MAX, reopenMs * 2)
  }

  /** What the worker answers; a failure of the store closes it, because after a failed write only an opening tells what is in the file. */
  const ask = async <Value>(method: string, args: readonly unknown[], transfer: readonly ArrayBuffer[] = []): Promise<Value> => {
    if (worker === null || state.kind !== 'ok') throw new WorkerCallError('cannot_open')
    try {
      return (await watched(worker.call(method, args, transfer))) as Value
    } catch (error) {
      // One call after the other fails when the store does; the first one closes it.
      if (state.kind === 'ok') {
        worker?.tell('close', [])
        fail(codeOf(error))
      }
      throw error
    }
  }

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
        become({ kind: 'failing', code: 'not_answering', since: plusMs(clock.now(), -ANSWER_MS_MAX) })
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
    if (directory !== null) void ask('useAccounts', [directory]).catch(() => undefined)
    onReady()
  }

  const open = async (): Promise<void> => {
    if (stopped) return
    worker ??= startWorker({
      url: options.workerUrl,
      workerData: null,
      onCrash() {
        worker = null
        if (!stopped) fail('crashed')
      },
    })
    try {
      const isFirst = !wasOpen
      const opened = (await watched(worker.call('open', [path, clock.now(), isFirst]))) as OpenedStore
      wasOpen = true
      if (stopped) return
      lastPollAt = opened.lastPollAt
      reopenMs = REOPEN_MS_MIN
      become({ kind: 'ok', at: clock.now(), walBytes: 0, missedSeconds: 0 })
      if (opened.interrupted !== null) options.onGap(opened.interrupted)
      if (isFirst) options.onOpen(opened)
      cancelNext = clock.schedule(FIRST_MAINTAIN_MS, () => void maintain())
      ready()
    } catch (error) {
      if (worker !== null) fail(codeOf(error))
    }
  }

  const maintain = async (): Promise<void> => {
    const report = await ask<MaintenanceReport>('maintain', [options.retention, clock.now()]).catch(() => null)
    if (stopped || (state.kind !== 'ok' && !isSilent())) return
    if (report !== null) become({ kind: 'ok', at: clock.now(), walBytes: report.walBytes, missedSeconds: report.missedMs / 1000 })
    cancelNext = clock.schedule(MAINTAIN_EVERY_MS, () => void maintain())
  }

  const sunk = async (usage: Promise<SunkUsage | null>, receivedAt: EpochMs): Promise<SunkUsage | null> => {
    const stored = await usage
    if (stored !== null) {
      lastPollAt = receivedAt
      options.onUsage(stored)
      if (stored.gap !== null) options.onGap(stored.gap)
    }
    return stored
  }

  return {
    sink: {
      position: () => (state.kind === 'ok' ? { lastPollAt } : null),
      onReady(listener) {
        onReady = listener
      },
      useAccounts(next) {
        directory = next
        if (state.kind === 'ok') void ask('useAccounts', [next]).catch(() => undefined)
      },
      markPop: (at) => ask('markPop', [at]),
      clearPop: () => ask('clearPop', []),
      async recordGap(gap) {
        await ask('recordGap', [gap])
        options.onGap(gap)
      },
      storeQueue: (answer, receivedAt) => sunk(ask('storeQueue', [answer, receivedAt]), receivedAt),
      openTree: () => ({
        // The network layer may hand out views of one buffer, so the bytes are copied before they are given away.
        push(chunk) {
          const bytes = chunk.slice()
          worker?.tell('pushTree', [bytes], [bytes.buffer])
        },
        store: (receivedAt) => sunk(ask('storeTree', [receivedAt]), receivedAt),
        drop: () => worker?.tell('dropTree', []),
      }),
    },
    state: () => state,
    recordPool: (record) => ask('recordPool', [record]),
    start() {
      cancelNext = clock.schedule(FIRST_OPEN_MS, () => void open())
    },
    async stop() {
      stopped = true
      cancelNext()
      return (await worker?.close({ clock, closeMs: CLOSE_MS_MAX })) ?? true
    },
  }
}

function codeOf(error: unknown): HistoryFailureCode {
  const code = error instanceof WorkerCallError ? error.code : 'crashed'
  return (code === 'internal' ? 'crashed' : code) as HistoryFailureCode
}
