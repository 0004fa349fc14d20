import { isDatabaseAddress } from '@svc/config'
import type { AskedAccount } from '@svc/core/account'
import { dayOf } from '@svc/core/money'
import type { PoolMemoryUpdate, PoolRecord } from '@svc/core/pool'
import {
  type Clock,
  type HistoryFailureCode,
  type HistoryState,
  LEASE_MS,
  type Log,
  POOL_LEASE,
} from '@svc/core/service'
import type { RetentionPlan, TakenPrices } from '@svc/history'
import { type Channel, ChannelError } from '../threads/channel.ts'
import { startThread, type Thread } from '../threads/thread.ts'
import {
  ANSWER_MS_MAX,
  type StoreEffect,
  type StoreEvent,
  shownOf,
  storeAfter,
  unopenedStore,
} from './store-state.ts'
import type { OpenedStore, StorePlace, WriterSetup } from './store-threads.ts'
import { createStoreUpkeep } from './store-upkeep.ts'
import { countGap, createUsageFeeds, type UsageFeedsDeps } from './usage-feeds.ts'
import type { WriterApi } from './writer-thread.ts'

export interface StoreWriterOptions
  extends Omit<UsageFeedsDeps, 'call' | 'tell' | 'isOpen'>,
    WriterSetup {
  readonly place: StorePlace
  readonly retention: RetentionPlan
  readonly workerUrl: URL
  readonly clock: Clock
  readonly log: Log
  /** Called with the contents of the store after every opening. */
  readonly onOpen: (opened: OpenedStore, isFirst: boolean) => void
  readonly onState: () => void
}

const CLOSE_MS_MAX = 5_000
/** Failures of a call that the store did not answer. */
const UNANSWERED: ReadonlySet<HistoryFailureCode> = new Set<HistoryFailureCode>([
  'unreachable',
  'crashed',
])
/** Calls that store something. */
const WRITES: ReadonlySet<keyof WriterApi> = new Set([
  'markPop',
  'clearPop',
  'recordGap',
  'recordMissing',
  'storeQueue',
  'storeTree',
  'recordPool',
  'rememberTold',
  'keepAsked',
])

export function createStoreWriter(options: StoreWriterOptions) {
  const { place, clock, trustedClock, report, sharing } = options
  let state = unopenedStore(isDatabaseAddress(place.location) ? 'postgres' : 'sqlite')
  let worker: Thread<WriterApi> | null = null
  let cancelOpening = () => {}
  /** Start of the first unanswered call, in monotonic milliseconds; null if the last call was answered. */
  let unansweredSinceMs: number | null = null
  const isOpen = () => state.now.kind === 'ok'

  const note = (event: StoreEvent, detail: string | null = null) => {
    const before = shownOf(state)
    const next = storeAfter(state, event, { now: clock.now(), nowMs: clock.monotonicMs() })
    state = next.state
    if (isNews(before, shownOf(state))) {
      logState(options.log, shownOf(state), detail)
      options.onState()
    }
    for (const effect of next.effects) actOn(effect)
  }
  const actOn = (effect: StoreEffect) => {
    if (effect === 'close') worker?.tell('close', [])
    else if (effect === 'pause_upkeep') upkeep.pause()
    else if (effect === 'take_usage') feeds.ready()
    else {
      cancelOpening()
      if (effect === 'open') void open()
      else cancelOpening = clock.schedule(effect.openInMs, () => note({ kind: 'opening_due' }))
    }
  }

  /** Reports a hanging call, and its late return. */
  const watch = async <Value>(call: Promise<Value>, isOpening = false): Promise<Value> => {
    let cancel = () => {}
    const startedMs = clock.monotonicMs()
    const wait = () => {
      cancel = clock.schedule(ANSWER_MS_MAX, () => {
        note({ kind: 'call_hangs', call })
        if (state.hanging?.call !== call) wait()
      })
    }
    wait()
    try {
      const value = await call
      unansweredSinceMs = null
      return value
    } catch (error) {
      const code = codeOf(error)
      if (isOpening || UNANSWERED.has(code)) unansweredSinceMs ??= startedMs
      else if (code !== 'cannot_open') unansweredSinceMs = null
      throw error
    } finally {
      cancel()
      note({ kind: 'call_returned', call })
    }
  }
  const open = async (): Promise<void> => {
    worker ??= startThread<WriterApi>({
      url: options.workerUrl,
      name: 'store-writer',
      setup: { pricedBy: options.pricedBy } satisfies WriterSetup,
      near: {},
      onCrash(error) {
        worker = null
        note({ kind: 'crashed' }, error)
      },
    })
    try {
      const { isFirst, isThorough: thorough } = state
      const how = { place, now: clock.now(), isFirst, thorough, held: sharing?.held() ?? null }
      const opened = await watch(worker.call('open', [how]), true)
      if (opened.updated !== null) options.log.info('history store updated', opened.updated)
      if (state.isStopped) return
      feeds.continueFrom(opened.lastPollAt)
      trustedClock.storeSaid(opened)
      note({ kind: 'opened', engine: opened.engine })
      for (const gap of opened.interrupted) countGap(report, gap)
      options.onOpen(opened, isFirst)
      upkeep.begin()
      feeds.begin()
    } catch (error) {
      if (worker === null) return
      const detail = error instanceof ChannelError ? error.detail : null
      note({ kind: 'opening_failed', code: codeOf(error) }, detail)
    }
  }
  const call: Channel<WriterApi>['call'] = (method, args, transfer) => {
    if (worker === null || !isOpen()) return Promise.reject(new ChannelError('cannot_open'))
    return watch(worker.call(method, args, transfer)).then(
      (value) => {
        // Who stands by has nothing to write.
        if (WRITES.has(method) || sharing?.held().size === 0) note({ kind: 'written' })
        return value
      },
      (error) => {
        note({ kind: 'call_failed', code: codeOf(error) })
        throw error
      },
    )
  }

  const tell: Channel<WriterApi>['tell'] = (...message) => worker?.tell(...message)
  const feeds = createUsageFeeds({ ...options, call, tell, isOpen })
  const forgets = () => feeds.isOurs(POOL_LEASE)
  const upkeep = createStoreUpkeep({ ...options, call, state: () => state, note, forgets })

  return {
    sinkOf: feeds.sinkOf,
    state: (): HistoryState => shownOf(state),
    /** Whether the store has answered nothing for as long as a lease lasts, or could not be opened. Another monitor may do better. */
    isSilent: () =>
      state.hanging !== null ||
      (unansweredSinceMs !== null && clock.monotonicMs() - unansweredSinceMs >= LEASE_MS),
    /** Reports that a reader has found the store damaged. */
    damaged: (code: HistoryFailureCode) => note({ kind: 'call_failed', code }),
    /** Opens a failing store now rather than later, because its obstacle may be gone. */
    retry: () => note({ kind: 'retry' }),
    /** Whether the store takes calls, even before it is known to be writable. */
    isOpen,
    useLease: feeds.useLease,
    isOurs: feeds.isOurs,
    /** Reads the records of other monitors. Rejects if they cannot be read. */
    look: () => call('look', [trustedClock.read().latest]),
    /** Rejects if it is not stored. */
    recordPool({ changes, ...record }: PoolRecord, memory: PoolMemoryUpdate | null) {
      // Changes noted while the clock was ahead are moved back to the present.
      const { latest } = trustedClock.read()
      const possible = changes.map((change) =>
        change.at > latest ? { ...change, at: latest } : change,
      )
      return call('recordPool', [{ ...record, changes: possible }, memory])
    },
    /** Stores the present titles of accounts, by key. Rejects if they are not stored. */
    nameAccounts: (titles: ReadonlyMap<string, string>) => call('nameAccounts', [titles]),
    /** Takes the prices of a file from today on; returns how many are new, none while our clock is doubted. Rejects if they are not stored. */
    takePrices: async (file: TakenPrices) =>
      trustedClock.read().doubt === null ? call('takePrices', [file, dayOf(clock.now())]) : 0,
    /** Rejects if they are not stored. */
    keepAsked: (accounts: readonly AskedAccount[]) => call('keepAsked', [accounts, clock.now()]),
    /** Stores the memory of the messages sent to a target. Rejects if it is not stored. */
    rememberTold: (target: string, memory: string) => call('rememberTold', [target, memory]),
    start() {
      trustedClock.onTurn(() => feeds.clockTurned())
      note({ kind: 'start' })
    },
    /** Stores pending usage and closes the store. Resolves with whether the thread has ended. */
    async stop(): Promise<boolean> {
      upkeep.pause()
      note({ kind: 'stop' })
      cancelOpening()
      return (await worker?.end({ clock, closeMs: CLOSE_MS_MAX }, worker.call('close', []))) ?? true
    },
  }
}

export type StoreWriter = ReturnType<typeof createStoreWriter>

/** Whether a change of state is worth reporting; new figures of an open store are not. */
function isNews(before: HistoryState, next: HistoryState): boolean {
  if (next.kind !== before.kind) return true
  return next.kind === 'failing' && before.kind === 'failing' && next.code !== before.code
}

/** `detail` is for the log alone. */
function logState(log: Log, state: HistoryState, detail: string | null): void {
  if (state.kind === 'ok') log.info('history store open')
  if (state.kind !== 'failing') return
  const fields = { reason: state.code, ...(detail === null ? {} : { detail }) }
  log.error('history store not usable', fields, 'news')
}

function codeOf(error: unknown): HistoryFailureCode {
  const code = error instanceof ChannelError ? error.code : 'crashed'
  return (code === 'internal' ? 'crashed' : code) as HistoryFailureCode
}
