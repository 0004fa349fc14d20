import { type AccountDirectory, refusedBySink, type UsageSink } from '@svc/collector'
import type { EpochMs, Interval } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import {
  type LeaseName,
  leaseOf,
  proxyOf,
  type ReceiptTime,
  type UpstreamName,
} from '@svc/core/service'
import {
  type IngestedUsage,
  laterOf,
  type UsageGap,
  type UsageIncrements,
  type UsageTally,
} from '@svc/core/usage'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import type { LeaseKeeper } from '../leases/lease-keeper.ts'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import type { Channel } from '../threads/channel.ts'
import type { CountedAnswer, IngestTimes } from './ingest.ts'
import type { WriterApi } from './writer-thread.ts'

export interface UsageFeedsDeps extends Pick<Channel<WriterApi>, 'call' | 'tell'> {
  /** Whether the store takes calls. */
  readonly isOpen: () => boolean
  readonly trustedClock: TrustedClock
  /** Leases of the monitors that share the store; null if it is not shared. */
  readonly sharing: Pick<LeaseKeeper, 'termOf' | 'held'> | null
  /** Called when the store holds new usage. */
  readonly onStored: () => void
  /** Called with the increments of each stored answer, by API name; not if metrics of usage are off. */
  readonly onIncrements: (
    increments: UsageIncrements,
    report: Pick<UpstreamReport, 'countUsage'>,
  ) => void
  /** Called with the last queries of accounts before a proxy counts as taken over, and with null once it does. */
  readonly onTaken: (asked: readonly AskedAccount[] | null) => void
  readonly report: Report
  readonly reportOf: (upstream: UpstreamName) => UpstreamReport
}

export type UsageFeeds = ReturnType<typeof createUsageFeeds>

/** Creates the feeds that bring the usage of each proxy into the store, and handles the leases that they need. */
export function createUsageFeeds(deps: UsageFeedsDeps) {
  const { call, isOpen, sharing, report } = deps
  const feeds = new Map<UpstreamName, UsageFeed>()
  let lastPolls: ReadonlyMap<UpstreamName, EpochMs> = new Map()
  /** Term of each lease, as told to the writing thread. */
  const told = new Map<LeaseName, number>()

  const isOurs = (lease: LeaseName): boolean => {
    if (sharing === null) return true
    const term = sharing.termOf(lease)
    return term !== null && told.get(lease) === term
  }
  const feedOf = (upstream: UpstreamName): UsageFeed => {
    const known = feeds.get(upstream)
    if (known !== undefined) return known
    const own = { report: deps.reportOf(upstream), isOurs: () => isOurs(leaseOf(upstream)) }
    const feed = createUsageFeed({ ...deps, ...own, upstream })
    feed.continueFrom(lastPolls.get(upstream) ?? null)
    feeds.set(upstream, feed)
    return feed
  }
  const takeProxy = async (upstream: UpstreamName, term: number): Promise<void> => {
    const { interrupted, lastPollAt, asked } = await call('takeProxy', [upstream, term])
    if (interrupted !== null) countGap(report, interrupted)
    feedOf(upstream).continueFrom(lastPollAt)
    deps.onTaken(asked)
  }
  const useLease = async (lease: LeaseName): Promise<void> => {
    const term = sharing?.termOf(lease) ?? null
    if (term === null || !isOpen()) return
    const upstream = proxyOf(lease)
    // Lost for a while and had by nobody else: a pop that is marked is our own. A store that was opened meanwhile does not know the term any more.
    const isKept = told.get(lease) === term
    try {
      if (upstream === null || isKept) await call('useTerm', [lease, term])
      else await takeProxy(upstream, term)
      told.set(lease, term)
      if (upstream === null) return
      feedOf(upstream).ready()
      deps.onTaken(null)
    } catch {
      // The store fails, and is opened again; or the lease was lost meanwhile.
    }
  }
  const ready = () => {
    for (const feed of feeds.values()) feed.ready()
  }

  return {
    /** Sink for the usage of this proxy; the same one each time. */
    sinkOf: (upstream: UpstreamName) => feedOf(upstream).sink,
    /** Sets the time of the last poll of each proxy, as stored. */
    continueFrom(polls: ReadonlyMap<UpstreamName, EpochMs>) {
      lastPolls = polls
      for (const [upstream, feed] of feeds) feed.continueFrom(polls.get(upstream) ?? null)
    },
    /** Handles the opening of the store, which knows neither terms nor accounts yet. */
    begin() {
      for (const lease of sharing?.held().keys() ?? []) void useLease(lease)
      ready()
    },
    /** Lets the feeds store usage from now on. */
    ready,
    /** Lets the feeds store usage again once the clock is trusted. */
    clockTurned() {
      for (const feed of feeds.values()) feed.clockTurned()
    },
    /** Tells the store of a lease that is ours. */
    useLease,
    /** Whether a lease is ours now, and the store knows. Nothing is decided before it does. */
    isOurs,
  }
}

interface UsageFeedDeps
  extends Pick<
    UsageFeedsDeps,
    'call' | 'tell' | 'isOpen' | 'trustedClock' | 'onStored' | 'onIncrements'
  > {
  readonly report: Pick<UpstreamReport, 'count' | 'countUsage'>
  readonly upstream: UpstreamName
  /** Whether this monitor stores the usage, rather than another monitor of the same store. */
  readonly isOurs: () => boolean
}

/** Has the writing thread store an answer of the proxy, with the times of its arrival. */
type StoreAnswer = (times: IngestTimes) => Promise<CountedAnswer | null>

type UsageFeed = ReturnType<typeof createUsageFeed>

/** Usage of one proxy: the writing thread stores it, as long as the store is usable and the clock is trusted. */
function createUsageFeed(deps: UsageFeedDeps) {
  const { tell, isOpen, trustedClock, report, upstream } = deps
  const call: typeof deps.call = (...message) =>
    deps.call(...message).catch(() => {
      throw refusedBySink('store_unavailable')
    })
  let lastPollAt: EpochMs | null = null
  let gapsCountedTo: EpochMs | null = null
  let directory: AccountDirectory | null = null
  let onReady = () => {}

  const useAccounts = (next: AccountDirectory) => {
    void call('useAccounts', [upstream, next]).catch(() => undefined)
  }

  /** Counts a gap, except for the part that was counted before. */
  const countNewOf = ({ from, to }: UsageGap) => {
    countGap(report, { from: laterOf(gapsCountedTo, from) ?? from, to })
    gapsCountedTo = laterOf(gapsCountedTo, to)
  }

  const storeAnswer = async (
    store: StoreAnswer,
    time: ReceiptTime,
  ): Promise<IngestedUsage | null> => {
    const times = { ...trustedClock.read(), ...time }
    const stored = await store(times)
    if (stored === null) return null
    const { increments, ...usage } = stored
    if (times.doubt === null) lastPollAt = times.usageAt
    if (usage.newestAt !== null) trustedClock.recordStored(usage.newestAt)
    countFates(report, usage.tally)
    if (increments.models.length > 0) deps.onIncrements(increments, report)
    if (usage.tally.stored > 0) deps.onStored()
    if (usage.gap !== null) countNewOf(usage.gap)
    return usage
  }

  const sink: Omit<UsageSink, 'useLabels'> = {
    refusal() {
      if (!deps.isOurs()) return 'standby'
      if (!isOpen()) return 'store_unavailable'
      return trustedClock.read().doubt === null ? null : 'clock_doubted'
    },
    now: () => trustedClock.usageNow(),
    position: () => ({ lastPollAt }),
    onReady(listener) {
      onReady = listener
    },
    useAccounts(next) {
      if (directory === null) countNothing(report)
      directory = next
      if (isOpen()) useAccounts(next)
    },
    markPop: (at) => call('markPop', [upstream, at]),
    clearPop: () => call('clearPop', [upstream]),
    stand: (since) => call('stand', [upstream, since]),
    standingSince: () => call('standingSince', [upstream]),
    async recordGap(gap) {
      await call('recordGap', [upstream, gap])
      lastPollAt = laterOf(lastPollAt, gap.to)
      countNewOf(gap)
    },
    async recordMissing(requestCount, gap) {
      await call('recordMissing', [upstream, requestCount, gap])
      countNewOf(gap)
      report.count({ counter: 'usage_rows_missing_total', by: requestCount })
    },
    storeQueue: (answer, time) =>
      storeAnswer((times) => call('storeQueue', [upstream, answer, times]), time),
    openTree: () => ({
      push: (chunk) => pushTree(tell, upstream, chunk),
      store: (time) => storeAnswer((times) => call('storeTree', [upstream, times]), time),
      drop: () => tell('dropTree', [upstream]),
    }),
  }
  return {
    continueFrom(at: EpochMs | null) {
      lastPollAt = at
    },
    ready() {
      if (directory !== null) useAccounts(directory)
      if (deps.isOurs()) onReady()
    },
    clockTurned() {
      const isReady = isOpen() && trustedClock.read().doubt === null
      if (isReady && deps.isOurs()) onReady()
    },
    sink,
  }
}

/** Copies the bytes before they are given away, because the network layer may hand out views of one buffer. */
function pushTree(
  tell: Channel<WriterApi>['tell'],
  upstream: UpstreamName,
  chunk: Uint8Array,
): void {
  const bytes = chunk.slice()
  tell('pushTree', [upstream, bytes], [bytes.buffer])
}

const COUNTERS = {
  stored: 'usage_rows_ingested_total',
  duplicate: 'usage_rows_duplicate_total',
  quarantined: 'usage_rows_quarantined_total',
  expired: 'usage_rows_expired_total',
} as const
const fates = Object.keys(COUNTERS) as readonly (keyof typeof COUNTERS)[]

/** Counts what became of usage records; each count is a message to the thread that answers. */
function countFates({ count }: Pick<UpstreamReport, 'count'>, tally: UsageTally): void {
  for (const fate of fates) if (tally[fate] > 0) count({ counter: COUNTERS[fate], by: tally[fate] })
}

/** Sets the counters to 0, so that their first increment is seen as a rise. */
function countNothing({ count }: Pick<UpstreamReport, 'count'>): void {
  for (const fate of fates) count({ counter: COUNTERS[fate], by: 0 })
  count({ counter: 'usage_gap_seconds_total', by: 0 })
  count({ counter: 'usage_rows_missing_total', by: 0 })
}

/** Counts the seconds in which usage may have been missed; none where the clock went back. */
export function countGap({ count }: Pick<UpstreamReport, 'count'>, { from, to }: Interval): void {
  count({ counter: 'usage_gap_seconds_total', by: Math.max(0, to - from) / 1000 })
}
