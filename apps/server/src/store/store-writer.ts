import type { UsageSink } from '@svc/collector'
import { isDatabaseAddress } from '@svc/config'
import type { PoolMemoryUpdate, PoolRecord } from '@svc/core/pool'
import {
  type Clock,
  type EngineName,
  type HistoryFailureCode,
  type HistoryState,
  type LeaseName,
  type Log,
  leaseOf,
  POOL_LEASE,
  type UpstreamName,
} from '@svc/core/service'
import type { RetentionPlan } from '@svc/history'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import type { Sharing } from './sharing.ts'
import { createStoreConnection } from './store-connection.ts'
import { createStoreSink, type StoreSink } from './store-sink.ts'
import { createStoreState } from './store-state.ts'
import type { OpenedStore, SeenPool, StorePlace } from './store-threads.ts'
import { createStoreUpkeep } from './store-upkeep.ts'
import { createToldTerms } from './told-terms.ts'
import { countGap } from './usage-counts.ts'

export interface StoreWriterOptions {
  readonly place: StorePlace
  readonly retention: RetentionPlan
  /** File of the worker. */
  readonly workerUrl: URL
  readonly clock: Clock
  readonly trustedClock: TrustedClock
  readonly log: Log
  /** Called with the contents of the store after every opening. */
  readonly onOpen: (opened: OpenedStore, isFirst: boolean) => void
  /** Called when the store holds new usage. */
  readonly onStored: () => void
  /** Leases of the monitors that share the store; null if it is not shared. */
  readonly sharing: Pick<Sharing, 'isHeld' | 'termOf' | 'held'> | null
  readonly report: Report
  /** Counters of one proxy. */
  readonly reportOf: (upstream: UpstreamName) => UpstreamReport
  /** Called when the state has changed. */
  readonly onState: () => void
}

/** The store's only writer, in its own thread. While it cannot write it keeps retrying. */
export interface StoreWriter {
  /** Sink for the usage of this proxy; the same one each time. */
  sinkOf(upstream: UpstreamName): Omit<UsageSink, 'useLabels'>
  state(): HistoryState
  /** A reader has found the store damaged. */
  damaged(code: HistoryFailureCode): void
  /** Opens a failing store now rather than later, because its obstacle may be gone. */
  retry(): void
  /** This monitor took a lease of a shared store. */
  taken(lease: LeaseName): void
  /** Records of other monitors. Rejects if they cannot be read. */
  look(): Promise<SeenPool>
  /** Rejects if it is not stored. */
  recordPool(record: PoolRecord, memory: PoolMemoryUpdate | null): Promise<void>
  start(): void
  /** Stores pending usage and closes the store. Resolves with whether the thread has ended. */
  stop(): Promise<boolean>
}

function engineOf({ location }: StorePlace): EngineName {
  return isDatabaseAddress(location) ? 'postgres' : 'sqlite'
}

export function createStoreWriter(options: StoreWriterOptions): StoreWriter {
  const { clock, trustedClock, log, report } = options
  const engine = engineOf(options.place)
  const { sharing } = options
  const feeds = new Map<UpstreamName, StoreSink>()
  let lastPollAt: OpenedStore['lastPollAt'] = new Map()
  const eachFeed = (act: (feed: StoreSink) => void) => {
    for (const feed of feeds.values()) act(feed)
  }
  const state = createStoreState({
    engine,
    clock,
    log,
    onState: options.onState,
    onAnswering: () => eachFeed((feed) => feed.ready()),
  })
  const connection = createStoreConnection({
    ...options,
    engine,
    state,
    held: () => sharing?.held() ?? null,
    onOpening(opened) {
      lastPollAt = opened.lastPollAt
      for (const [upstream, feed] of feeds) feed.continueFrom(lastPollAt.get(upstream) ?? null)
      trustedClock.storeSaid(opened)
    },
    onOpen(opened, isFirst) {
      for (const gap of opened.interrupted) countGap(report, gap)
      options.onOpen(opened, isFirst)
      upkeep.begin()
      terms?.tellAll()
      eachFeed((feed) => feed.ready())
    },
    onFailure: () => upkeep.pause(),
  })
  const feedOf = (upstream: UpstreamName): StoreSink => {
    const known = feeds.get(upstream)
    if (known !== undefined) return known
    const isOurs = () => terms?.isTold(leaseOf(upstream)) ?? true
    const ownReport = options.reportOf(upstream)
    const own = { report: ownReport, upstream, isOurs }
    const feed = createStoreSink({ ...options, connection, state, ...own })
    feed.continueFrom(lastPollAt.get(upstream) ?? null)
    feeds.set(upstream, feed)
    return feed
  }
  const { ask } = connection
  const terms =
    sharing === null
      ? null
      : createToldTerms({
          sharing,
          ask,
          isOpen: () => state.now().kind === 'ok',
          onProxyTaken(upstream, left) {
            const feed = feedOf(upstream)
            if (left !== null) {
              if (left.interrupted !== null) countGap(report, left.interrupted)
              feed.continueFrom(left.lastPollAt)
            }
            feed.ready()
          },
        })
  const forgets = () => terms?.isTold(POOL_LEASE) ?? true
  const upkeep = createStoreUpkeep({ ...options, state, ask, forgets })

  return {
    sinkOf: (upstream) => feedOf(upstream).sink,
    state: state.now,
    damaged: connection.damaged,
    retry: connection.retry,
    taken: (lease) => void terms?.tell(lease),
    look: () => ask((asked) => asked.call('look', [trustedClock.read().latest])),
    recordPool({ changes, ...record }, memory) {
      // Changes noted while the clock was ahead are moved back to the present.
      const { latest } = trustedClock.read()
      const possible = changes.map((change) =>
        change.at > latest ? { ...change, at: latest } : change,
      )
      return ask((asked) => asked.call('recordPool', [{ ...record, changes: possible }, memory]))
    },
    start() {
      trustedClock.onTurn(() => eachFeed((feed) => feed.clockTurned()))
      connection.start()
    },
    stop() {
      upkeep.pause()
      return connection.stop()
    },
  }
}
