import { offBecause } from '@svc/core'
import type { UsageFeedState } from '@svc/core/service'
import type { IngestedUsage } from '@svc/core/usage'
import { accountDirectoryOf } from '../usage/account-directory.ts'
import type { MissingRequestsWatch } from '../usage/missing-requests.ts'
import { createUsageFeed } from '../usage/usage-feed.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import { onOurTime, type UsageSuccesses } from '../usage/usage-successes.ts'
import type { AccountListSource } from './account-list.ts'
import type { QuotaSource } from './quota.ts'
import type { UsageSettings } from './settings.ts'
import {
  changeOf,
  countFailure,
  offSource,
  type Source,
  type SourceListeners,
  sourceOf,
} from './source.ts'
import type { LiveSourceDeps, Management } from './source-options.ts'

export interface UsageSource extends Source<UsageFeedState> {
  /** Whether another program seems to take records out of the proxy's queue. */
  isRivalSuspected(): boolean
}

/** Replaces a usage source that is off. */
const NOTHING_TAKEN = { isRivalSuspected: () => false }

export interface UsagePlan {
  readonly settings: UsageSettings
  /** Store for usage; null if usage is not kept. */
  readonly sink: UsageSink | null
  readonly management: Management
  readonly accountList: Pick<AccountListSource, 'onList' | 'reading' | 'pollAfresh'>
  readonly quota: Pick<QuotaSource, 'usePassive'>
  readonly successes: UsageSuccesses
  readonly missing: MissingRequestsWatch
}

/** Creates the source that moves request records from the proxy to the store. */
export function createUsageSource(
  plan: UsagePlan,
  deps: SourceListeners & Pick<LiveSourceDeps, 'duty'>,
): UsageSource {
  const { settings, sink, management, accountList, missing } = plan
  const { usageSource: mode } = settings
  const { clock } = deps
  if (sink === null) return { ...offSource('usage', 'no_store'), ...NOTHING_TAKEN }
  accountList.onList((list) => sink.useAccounts(accountDirectoryOf(list)))
  if (mode === 'off') return { ...offSource('usage', 'switched_off'), ...NOTHING_TAKEN }

  const countMissing = createMissingCounter(sink, missing)
  const follow = ({ listedCount, activity }: IngestedUsage, emptied: boolean) => {
    missing.popped({ recordCount: listedCount, emptied })
    void countMissing()
    const ours = activity.map((account) =>
      onOurTime(account, management.client.facts().clockSkewSeconds),
    )
    plan.successes.note(ours)
    plan.quota.usePassive(ours)
  }
  let relistAtMs = 0
  let cancelRelist = () => {}
  const relist = () => {
    cancelRelist()
    cancelRelist = clock.schedule(Math.max(0, relistAtMs - clock.monotonicMs()), () => {
      relistAtMs = clock.monotonicMs() + RELIST_MS
      void accountList.pollAfresh()
    })
  }
  const feed = createUsageFeed(
    {
      mode,
      client: management.client,
      gate: management.gate,
      sink: explaining(sink, missing.explain),
      isStarved: missing.isStarved,
      onRefresh: relist,
      onWait: deps.report.setUsageWait,
      onReconnect: () => deps.report.count({ counter: 'usage_subscriber_reconnects_total' }),
      onPop: missing.popBegins,
      onForgotten(keptSeconds) {
        missing.forgotten(keptSeconds)
        void countMissing()
      },
      onUsage: follow,
      onSettled(settled) {
        countFailure('usage', settled, deps)
        deps.onChange(changeOf(settled))
      },
    },
    deps,
  )
  accountList.onList(() => {
    // Without the account list, records could not be assigned to accounts.
    if (feed.reading().outcome.kind === 'pending' && sink.refusal() === null) feed.pollNow()
  })

  deps.duty?.onTaken(() => {
    feed.takenOver()
    missing.restart()
  })
  const isStandby = () => sink.refusal() === 'standby'
  const retry = () => {
    if (feed.reading().outcome.kind === 'failed') feed.pollNow()
  }

  return {
    ...sourceOf('usage', feed),
    reading: () => (isStandby() ? offBecause('standby') : feed.reading()),
    start() {
      sink.onReady(() => {
        if (accountList.reading().lastGood !== null) feed.pollNow()
      })
    },
    retry,
    reload: retry,
    isRivalSuspected: () =>
      !isStandby() &&
      missing.isRivalSuspected() &&
      ['http', 'lpop'].includes(feed.reading().lastGood?.value.way ?? ''),
  }
}

/** Least time between two readings of the list that the proxy asks for. */
const RELIST_MS = 5_000

/** Stores missing requests, one count at a time. If the store refuses, the next pop tries again. */
function createMissingCounter(sink: UsageSink, missing: MissingRequestsWatch): () => Promise<void> {
  let counting = false
  return async () => {
    const found = missing.uncounted()
    if (found === null || counting) return
    counting = true
    const gap = { from: found.from, to: found.to, reason: 'not_handed_to_us' } as const
    await sink.recordMissing(found.count, gap).then(
      () => missing.counted(found),
      () => undefined,
    )
    counting = false
  }
}

/** The sink; it also reports every gap to the watch as an explanation of missing requests. */
function explaining(sink: UsageSink, explain: MissingRequestsWatch['explain']): UsageSink {
  return {
    ...sink,
    recordGap(gap) {
      explain(gap)
      return sink.recordGap(gap)
    },
  }
}
