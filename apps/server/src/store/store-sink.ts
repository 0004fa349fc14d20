import type { AccountDirectory, UsageSink } from '@svc/collector'
import type { EpochMs } from '@svc/core'
import type { ReceiptTime, UpstreamName } from '@svc/core/service'
import type { IngestedUsage } from '@svc/core/usage'
import type { IngestTimes } from '@svc/history'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import type { UpstreamReport } from '../metrics/event-counters.ts'
import type { StoreConnection } from './store-connection.ts'
import type { StoreState } from './store-state.ts'
import { countGap, countNothing, countUsage } from './usage-counts.ts'

interface StoreSinkDeps {
  readonly connection: Pick<StoreConnection, 'ask' | 'tell'>
  readonly state: StoreState
  readonly trustedClock: TrustedClock
  /** The store holds usage that it did not hold before. */
  readonly onStored: () => void
  readonly report: Pick<UpstreamReport, 'count'>
  /** The proxy whose usage it takes. */
  readonly upstream: UpstreamName
  /** Whether this monitor takes it, rather than another one of the same store. */
  readonly isOurs: () => boolean
}

/** Where the usage of one proxy goes: what it brings is stored by the writing thread, as long as the store is usable and the time can be vouched for. */
export interface StoreSink {
  readonly sink: Omit<UsageSink, 'useLabels'>
  /** When the proxy was last read, as the store has it. */
  continueFrom(lastPollAt: EpochMs | null): void
  /** The store takes usage from now on; the accounts may be others than when it last did. */
  ready(): void
  /** The same, called when the clock is trusted again. */
  clockTurned(): void
}

/** Has the writing thread store an answer of the proxy that came at these times. */
type StoreAnswer = (times: IngestTimes) => Promise<IngestedUsage | null>

export function createStoreSink(deps: StoreSinkDeps): StoreSink {
  const { state, trustedClock, report, upstream } = deps
  const { ask, tell } = deps.connection
  let lastPollAt: EpochMs | null = null
  let directory: AccountDirectory | null = null
  let onReady = () => {}

  const useAccounts = (next: AccountDirectory) => {
    void ask((asked) => asked.call('useAccounts', [upstream, next])).catch(() => undefined)
  }

  const stored = async (store: StoreAnswer, time: ReceiptTime): Promise<IngestedUsage | null> => {
    const times = { ...trustedClock.read(), ...time }
    const usage = await store(times)
    if (usage === null) return null
    if (times.doubt === null) lastPollAt = times.usageAt
    if (usage.newestAt !== null) trustedClock.recordStored(usage.newestAt)
    countUsage(report, usage.tally)
    if (usage.tally.stored > 0) deps.onStored()
    if (usage.gap !== null) countGap(report, usage.gap)
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
      const isReady = state.now().kind === 'ok' && trustedClock.read().doubt === null
      if (isReady && deps.isOurs()) onReady()
    },
    sink: {
      refusal() {
        if (!deps.isOurs()) return 'standby'
        if (state.now().kind !== 'ok') return 'store_unavailable'
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
        if (state.now().kind === 'ok') useAccounts(next)
      },
      markPop: (at) => ask((asked) => asked.call('markPop', [upstream, at])),
      clearPop: () => ask((asked) => asked.call('clearPop', [upstream])),
      async recordGap(gap) {
        await ask((asked) => asked.call('recordGap', [upstream, gap]))
        countGap(report, gap)
      },
      async recordMissing(requestCount, gap) {
        await ask((asked) => asked.call('recordMissing', [upstream, requestCount, gap]))
        countGap(report, gap)
        report.count({ counter: 'usage_rows_missing_total', by: requestCount })
      },
      storeQueue: (answers, time) =>
        stored(
          (times) => ask((asked) => asked.call('storeQueue', [upstream, answers, times])),
          time,
        ),
      openTree: () => ({
        push: (chunk) => pushTree(tell, upstream, chunk),
        store: (time) =>
          stored((times) => ask((asked) => asked.call('storeTree', [upstream, times])), time),
        drop: () => tell('dropTree', [upstream]),
      }),
    },
  }
}

/** The network layer may hand out views of one buffer, so the bytes are copied before they are given away. */
function pushTree(tell: StoreConnection['tell'], upstream: UpstreamName, chunk: Uint8Array): void {
  const bytes = chunk.slice()
  tell('pushTree', [upstream, bytes], [bytes.buffer])
}
