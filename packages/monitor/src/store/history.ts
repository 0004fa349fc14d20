import type { AskedStore, UsageSink } from '@svc/collector'
import { type Config, noOwnPrices } from '@svc/config'
import type { EpochMs } from '@svc/core'
import { type AskedAccount, silentMsMaxOf } from '@svc/core/account'
import { modelCostsOf } from '@svc/core/money'
import type { RecentChange, RememberedPool } from '@svc/core/pool'
import {
  type Clock,
  type Duty,
  type HistoryState,
  type Leases,
  type Log,
  leaseOf,
  type UpstreamName,
} from '@svc/core/service'
import { countedIncrements, type PricedBy } from '@svc/core/usage'
import type { Language } from '@svc/views'
import type { HistoryQuestions } from '../answers/history-questions.ts'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import { ChannelError } from '../threads/channel.ts'
import { endsWithin } from '../threads/thread.ts'
import { createPriceWatch, createUnpricedWatch, type ReadPrices } from './price-watch.ts'
import { createSharedHistory, type SharedHistory } from './shared-history.ts'
import { createStoreReader } from './store-reader.ts'
import type { SeenPool, StorePlace } from './store-threads.ts'
import { createStoreWriter } from './store-writer.ts'

export interface WorkerUrls {
  readonly storeWriter: URL
  readonly storeReader: URL
  readonly storeLeases: URL
}

/** Records of an earlier process. */
export interface RecordedPast {
  /** Newest first. */
  readonly changes: readonly RecentChange[]
  /** Pool to compare with; null if none was stored, or if this process has its own by now. */
  readonly remembered: RememberedPool | null
}

/** Callbacks for changes of the history. */
export interface HistoryListener {
  /** Called once with the records of earlier processes, however late they arrive. */
  readonly onSeed: (seed: SeenPool) => void
  /** Called when the store holds new usage, or other titles of accounts. */
  readonly onStored: () => void
  /** Called at intervals with the records of other monitors, while one of them holds a lease. */
  readonly onSeen: (seen: SeenPool) => void
  /** Called with the last queries of accounts when a proxy is taken over, before anything is asked through it. */
  readonly onAsked: (asked: readonly AskedAccount[]) => void
  /** Called when there is something new to show. */
  readonly onChange: () => void
}

const NOTHING: RecordedPast = { changes: [], remembered: null }
/** Longest wait for a store to open before the pool is compared without it. */
const AWAITED_MS = 30_000
/** Time between two looks for models that were first used after the price file was read. */
const TAKE_PRICES_EVERY_MS = 60_000
/** Longest that counters of usage wait for the files of prices. */
const PRICES_MS_MAX = 5_000
/** Longest that a query waits for the store. */
const KEEP_MS_MAX = 5_000

export interface HistoryOptions {
  readonly settings: Config['history']
  readonly place: StorePlace
  readonly language: Language
  readonly workers: WorkerUrls
  readonly report: Report
  readonly reportOf: (upstream: UpstreamName) => UpstreamReport
  readonly clock: Clock
  readonly random: () => number
  readonly trustedClock: TrustedClock
  readonly log: Log
  /** Null if no other monitor may have the store open. */
  readonly leases: Leases | null
}

export function createHistory(options: HistoryOptions) {
  const { clock } = options
  const { usageRetentionDays, historyRetentionDays, metricsSeriesMax } = options.settings
  const untilMs = clock.monotonicMs() + AWAITED_MS
  let recorded: RecordedPast | null = null
  const isAwaited = () =>
    recorded === null && writer.state().kind === 'opening' && clock.monotonicMs() < untilMs
  let wasAwaited = true
  let listener: HistoryListener | null = null
  let namedAs = ''
  let labels: ReadonlyMap<string, string> = new Map()
  /** Settled once the counters of usage know which names are used most. */
  let ranked: Promise<void> | null = null

  let read: ReadPrices = { list: null, ...noOwnPrices }
  /** Settled once the files were read, or have kept counters of usage waiting for long. */
  let pricesRead: Promise<unknown> = Promise.resolve()
  let cancelTaking = () => {}
  const prices = createPriceWatch(options.settings, {
    clock,
    log: options.log,
    onRead(next) {
      read = next
      const { list, own, subscriptions } = read
      reader.usePrices({ own, subscriptions, refused: list?.refused ?? new Map() })
      listener?.onStored()
      takePrices()
      unpriced.pricesRead()
    },
  })
  /** Has the prices of the file stored for the models of the store, which grow in number, if this monitor writes the course. */
  const takePrices = () => {
    cancelTaking()
    const { list } = read
    if (list === null) return
    cancelTaking = clock.schedule(TAKE_PRICES_EVERY_MS, takePrices)
    if (writer.state().kind !== 'ok' || shared?.writesCourse() === false) return
    void writer.takePrices({ models: list.models, source: list.source }).then(
      (added) => {
        if (added > 0) listener?.onStored()
      },
      () => undefined,
    )
  }

  const dutyOf = (upstream: UpstreamName): Duty =>
    shared?.dutyOf(upstream) ?? {
      isOurs: () => !isHeldElsewhere(writer.state()),
      onTaken: (heard) => void whenTaken.push(heard),
    }
  const whenTaken: (() => void)[] = []
  const whenSettled: (() => void)[] = []
  let wasHeld = false
  /** Whether the contents of the store were handed out. */
  let isSeeded = false
  /** Lets waiting queries continue with what is known of the store now. */
  const settle = () => {
    const isFree = wasHeld && !isHeldElsewhere(writer.state())
    wasHeld = isHeldElsewhere(writer.state())
    for (const heard of isFree ? whenTaken : []) heard()
    for (const heard of whenSettled) heard()
  }

  const reader = createStoreReader({
    ...options,
    retentionDays: usageRetentionDays,
    silentMsMax: silentMsMaxOf(options.settings.historyWriteSeconds),
    workerUrl: options.workers.storeReader,
    onDamage: (code) => writer.damaged(code),
  })
  const unpriced = createUnpricedWatch({ shareAt: reader.unpricedShare, clock })
  const { leases } = options
  const shared =
    leases === null
      ? null
      : createSharedHistory({
          ...options,
          leases,
          // Of what this monitor asks itself it knows more than it has stored.
          onSeen(seen) {
            const asked = seen.asked.filter(({ upstream }) => !dutyOf(upstream).isOurs())
            listener?.onSeen({ ...seen, asked })
          },
          onChange: () => listener?.onChange(),
        })
  const writer = createStoreWriter({
    ...options,
    sharing: shared,
    retention: { usageDays: usageRetentionDays, historyDays: historyRetentionDays },
    workerUrl: options.workers.storeWriter,
    pricedBy: pricedBy(options.settings),
    onOpen(opened, isFirst) {
      namedAs = ''
      reader.noteOpening(isFirst)
      takePrices()
      if (!isFirst) return settle()
      // Before the store was opened there may have been nothing to ask.
      shared?.start(writer)
      listener?.onSeed(opened)
      const changes = opened.isNew ? [historyStarted(clock.now())] : opened.changes
      // A store that opens late is not compared with: this process has its own observations by then.
      const remembered = wasAwaited ? opened.remembered : null
      recorded = { changes, remembered }
      listener?.onChange()
      isSeeded = true
      settle()
    },
    onTaken(asked) {
      if (asked === null) settle()
      else listener?.onAsked(asked)
    },
    onStored: () => listener?.onStored(),
    onIncrements(increments, report) {
      if (metricsSeriesMax === 0) return
      // Asked as late as this, because clients may have no labels before.
      ranked ??= reader
        .ranking(metricsSeriesMax, clock.now())
        .then(options.report.rankUsage, () => undefined)
      void Promise.all([ranked, pricesRead]).then(() =>
        report.countUsage(
          countedIncrements(increments, labels, (usage) => modelCostsOf(usage, read)),
        ),
      )
    },
    onState() {
      listener?.onChange()
      // What an opened store knows is handed out first.
      if (!writer.isOpen()) settle()
    },
  })

  return {
    /** Sharing with other monitors; null if the store is not shared. */
    shared: shared as SharedHistory | null,
    /** Sink for the usage of this proxy. */
    sinkOf: (upstream: UpstreamName): UsageSink => ({
      ...writer.sinkOf(upstream),
      useLabels(next) {
        labels = next
        reader.useLabels(next)
      },
    }),
    /** Store of the last queries through this proxy. */
    askedOf(upstream: UpstreamName): AskedStore {
      const lease = leaseOf(upstream)
      /** Term in which the store did not accept our lease. */
      let lostTerm: number | null = null
      return {
        standing() {
          if (!writer.isOpen()) return writer.state().kind === 'opening' ? 'awaited' : 'none'
          const isLost = lostTerm !== null && shared?.termOf(lease) === lostTerm
          return isSeeded && writer.isOurs(lease) && !isLost ? 'known' : 'awaited'
        },
        async keep(accounts) {
          const term = shared?.termOf(lease) ?? null
          let outcome: Awaited<ReturnType<AskedStore['keep']>> = 'not_kept'
          const keeping = writer.keepAsked(accounts).then(
            () => {
              outcome = 'kept'
            },
            (error) => {
              if (!(error instanceof ChannelError) || error.code !== 'not_holder') return
              outcome = 'not_ours'
              lostTerm = term
            },
          )
          await endsWithin(clock, KEEP_MS_MAX, keeping)
          return outcome
        },
        onChange: (heard) => void whenSettled.push(heard),
      }
    },
    /** Whether another monitor acts for this proxy: one that shares the store, or holds its file. */
    dutyOf,
    reader: reader as HistoryQuestions,
    state(): HistoryState {
      const state = writer.state()
      if (state.kind !== 'ok') return state
      const isStandby = shared?.isStandby() ?? false
      const found = unpriced.latest()
      return {
        ...state,
        ...{ readFailure: reader.failure(), isStandby, lagSeconds: reader.lagSeconds() },
        ...(found === null ? {} : { unpriced: found }),
      }
    },
    /** History recorded before this process started; handed out once. Null while it may still come. */
    takeRecorded(): RecordedPast | null {
      if (isAwaited()) return null
      wasAwaited = false
      const taken = recorded ?? NOTHING
      recorded = NOTHING
      return taken
    },
    /** Stores the course of the pool. Rejects if it is not stored. */
    keep: writer.recordPool,
    /** Has the present titles of accounts stored, by key, if they have changed and this monitor writes the course. */
    nameAccounts(titles: ReadonlyMap<string, string>) {
      const text = JSON.stringify([...titles])
      const isOurs = writer.state().kind === 'ok' && shared?.writesCourse() !== false
      if (!isOurs || text === namedAs) return
      namedAs = text
      void writer.nameAccounts(titles).then(
        () => listener?.onStored(),
        () => {
          namedAs = ''
        },
      )
    },
    /** Stores the memory of the messages sent to a target. Rejects if it is not stored. */
    rememberTold: writer.rememberTold,
    start(listening: HistoryListener) {
      listener = listening
      writer.start()
      pricesRead = endsWithin(clock, PRICES_MS_MAX, prices.start())
    },
    /** Retries an unusable store now, for example after its password was replaced. */
    retry: writer.retry,
    /** Resolves with whether its threads have ended; a thread that hangs in a system call does not. */
    async stop(): Promise<boolean> {
      prices.stop()
      cancelTaking()
      unpriced.stop()
      // Taken usage is stored by now, so the leases are given back first: the next monitor need not wait until the store is closed.
      await shared?.stop()
      // The last connection to close removes the WAL file, which a reader must not do.
      const readerEnded = await reader.stop()
      return (await writer.stop()) && readerEnded
    },
  }
}

export type History = ReturnType<typeof createHistory>

/** Whether another process holds the file of the store, so that it acts in our place. */
export function isHeldElsewhere(state: HistoryState): boolean {
  return state.kind === 'failing' && state.code === 'locked'
}

/** Finest key of the prices that counters of cost need. Only own prices tell accounts apart. */
function pricedBy({ priceFile, priceOverrides, metricsSeriesMax }: Config['history']): PricedBy {
  if (metricsSeriesMax === 0) return null
  if (priceOverrides !== null) return 'account'
  return priceFile === null ? null : 'model'
}

function historyStarted(at: EpochMs): RecentChange {
  return { at, tone: 'good', detail: { code: 'history_started' } }
}
