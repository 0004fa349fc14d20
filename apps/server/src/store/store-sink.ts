import type { AccountDirectory, UsageSink } from '@svc/collector'
import type { EpochMs } from '@svc/core'
import type { ReceiptTime, UpstreamName } from '@svc/core/service'
import { type IngestedUsage, laterOf, type UsageGap } from '@svc/core/usage'
import type { IngestTimes } from '@svc/history'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import type { UpstreamReport } from '../metrics/event-counters.ts'
import type { Channel } from '../threads/channel.ts'
import type { WriterApi } from './store-threads.ts'
import { countGap, countNothing, countUsage } from './usage-counts.ts'

interface StoreSinkDeps extends Pick<Channel<WriterApi>, 'call' | 'tell'> {
  readonly isOpen: () => boolean
  readonly trustedClock: TrustedClock
  /** Called when the store holds new usage. */
  readonly onStored: () => void
  readonly report: Pick<UpstreamReport, 'count'>
  /** The proxy whose usage the sink takes. */
  readonly upstream: UpstreamName
  /** Whether this monitor takes that usage, rather than another one of the same store. */
  readonly isOurs: () => boolean
}

/** Sink for the usage of one proxy: the writing thread stores it, as long as the store is usable and the clock is trusted. */
export interface StoreSink {
  readonly sink: Omit<UsageSink, 'useLabels'>
  /** Sets the time of the last poll of the proxy, as stored. */
  continueFrom(lastPollAt: EpochMs | null): void
  /** The store takes usage from now on; its known accounts may differ from the last time. */
  ready(): void
  /** The same, once the clock is trusted again. */
  clockTurned(): void
}

/** Has the writing thread store an answer of the proxy that arrived at these times. */
type StoreAnswer = (times: IngestTimes) => Promise<IngestedUsage | null>

export function createStoreSink(deps: StoreSinkDeps): StoreSink {
  const { call, tell, isOpen, trustedClock, report, upstream } = deps
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

  const stored = async (store: StoreAnswer, time: ReceiptTime): Promise<IngestedUsage | null> => {
    const times = { ...trustedClock.read(), ...time }
    const usage = await store(times)
    if (usage === null) return null
    if (times.doubt === null) lastPollAt = times.usageAt
    if (usage.newestAt !== null) trustedClock.recordStored(usage.newestAt)
    countUsage(report, usage.tally)
    if (usage.tally.stored > 0) deps.onStored()
    if (usage.gap !== null) countNewOf(usage.gap)
    return usage
  }

  return {
    continueFrom(at) {
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
    sink: {
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
      storeQueue: (answers, time) =>
        stored((times) => call('storeQueue', [upstream, answers, times]), time),
      openTree: () => ({
        push: (chunk) => pushTree(tell, upstream, chunk),
        store: (time) => stored((times) => call('storeTree', [upstream, times]), time),
        drop: () => tell('dropTree', [upstream]),
      }),
    },
  }
}

/** The network layer may hand out views of one buffer, so the bytes are copied before they are given away. */
function pushTree(
  tell: Channel<WriterApi>['tell'],
  upstream: UpstreamName,
  chunk: Uint8Array,
): void {
  const bytes = chunk.slice()
  tell('pushTree', [upstream, bytes], [bytes.buffer])
}
