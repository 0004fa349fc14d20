import { type Config, upstreamsOf } from '@svc/config'
import { type EvaluationPolicy, type Snapshot, scoringPolicy } from '@svc/core'
import { accountTitlesOf, allAccountsOf, trendsOf } from '@svc/core/pool'
import type {
  RefreshElsewhere,
  RefreshState,
  RefreshTarget,
  RunningRefresh,
  UpstreamName,
} from '@svc/core/service'
import { createWording, languageOf, newsView, type PoolEvent, type StatusContext } from '@svc/views'
import type {
  FilteredPayload,
  FilteredReading,
  PickQuestion,
  ReadyAnswer,
} from '../answers/ready-answer.ts'
import { createTrustedClock, usageClockOf } from '../clock/trusted-clock.ts'
import { createAskingSchedulers } from '../evaluation/asking-schedulers.ts'
import { atWholeSecond, encodeSnapshot, withContext } from '../evaluation/encode-snapshot.ts'
import {
  createCalendarAnswers,
  createFilteredPayloads,
  createPickAnswers,
} from '../evaluation/filtered-payloads.ts'
import {
  createHistoryAnswers,
  type HistoryAnswers,
  isListed,
} from '../evaluation/history-answers.ts'
import { createMonitor, type Monitor } from '../evaluation/monitor.ts'
import type { Published } from '../evaluation/publisher.ts'
import { createRefreshJob } from '../evaluation/refresh-job.ts'
import { createUsageWatch } from '../evaluation/usage-watch.ts'
import { createPoolMessages } from '../notify/pool-messages.ts'
import { createTurnedLeases } from '../store/shared-history.ts'
import { type Channel, forwarded } from '../threads/channel.ts'
import { endsWithin } from '../threads/thread.ts'
import { createDemoPool } from './demo-pool.ts'
import { createLivePool } from './live-pool.ts'
import type { PipelineDeps, PipelineEvents, PipelineSetup } from './pipeline-api.ts'
import {
  ifStalledOf,
  logThrough,
  newsThrough,
  publishThrough,
  reportThrough,
} from './pipeline-events.ts'
import { createPoolCourse } from './pool-course.ts'

/** Everything between the proxy and ready bytes: observes, evaluates, formats and encodes. */
export function composePipeline(
  setup: PipelineSetup,
  deps: PipelineDeps,
  events: Channel<PipelineEvents>,
) {
  const parts = createParts(setup, deps, events)
  let latest: Published | null = null
  const publish = publishThrough(events)
  const monitor = createPoolMonitor(setup, parts, {
    onPublish(published) {
      latest = published
      publish(published)
    },
    onNews: newsThrough(events),
  })
  const { clock, usageClock, text, pool, refresh, usage, schedulers } = parts
  const requestRefresh = (target: RefreshTarget): RunningRefresh | RefreshElsewhere | null => {
    const elsewhere = pool.askedElsewhere(upstreamsListing(latest, target))
    if (elsewhere !== null) return elsewhere
    const isUnderWay = refresh.latest().status === 'running'
    if (!isUnderWay && target.scope === 'account' && !isListed(latest, target.accountKey))
      return null
    const running = refresh.request(target)
    monitor.read(null)
    monitor.republish()
    return running
  }
  const ofParts = createFilteredPayloads()
  const picks = createPickAnswers({
    clock,
    onQueryDue({ selector: { accountKey } }) {
      if (pool.refresher.available()) requestRefresh({ scope: 'account', accountKey })
    },
  })
  const answers = createHistoryAnswers({
    questions: pool.recorded,
    latest: () => latest,
    usageAsOf: usage.asOf,
    clock,
    usageClock,
    words: text.words,
  })
  const calendar = createCalendarAnswers({ text, names: setup.config.display.icsNames })
  return {
    /** Returns once a first publication has been sent. */
    prepare: monitor.prepare,
    start: () => startParts(parts, monitor),
    /** Notes a reader. Returns once the publication is as new as a reader may expect, and in the form that is read. */
    read: monitor.read,
    ...forwarded<HistoryAnswers>(answers, (method, args) => {
      // The other answers must include everything that these show.
      monitor.read(null)
      return Reflect.apply(answers[method], null, args)
    }),
    /** A payload about a part of the pool, from the published snapshot; null before the first. */
    payloadAt(reading: FilteredReading): FilteredPayload | null {
      monitor.read(null)
      return latest === null ? null : ofParts.answer(reading, latest)
    },
    /** One account of the published snapshot; null before the first. */
    pick(question: PickQuestion): FilteredPayload | null {
      monitor.read(null)
      return latest === null ? null : picks.answer(question, latest)
    },
    schedulerAsked: schedulers.asked,
    /** The calendar of resets, from the published snapshot; null before the first. */
    calendar(): ReadyAnswer | null {
      monitor.read(null)
      return latest === null ? null : calendar(latest.snapshot)
    },
    refreshAvailable: pool.refresher.available,
    isManagementKey: pool.refresher.isManagementKey,
    /** The other monitor that queries every account in place of this one; null if this one queries some accounts or is running a refresh. */
    refreshElsewhere: () =>
      refresh.latest().status === 'running' ? null : pool.askedElsewhere(null),
    /** Returns once the publication that shows the refresh has been sent. Null for an unlisted account, unless a refresh is under way. */
    requestRefresh,
    /** Returns the final state of the running refresh, or of the last one; the publication that shows it follows. */
    cancelRefresh(): RefreshState {
      monitor.read(null)
      return refresh.cancel()
    },
    reload: pool.reload,
    /** Shows that the thread still runs. */
    ping: () => undefined,
    stop: () => stopParts(parts, monitor),
  }
}

export type PipelineApi = ReturnType<typeof composePipeline>

/** Names of the proxies that list the accounts to query; null for all proxies. */
function upstreamsListing(
  published: Published | null,
  target: RefreshTarget,
): readonly UpstreamName[] | null {
  if (target.scope !== 'account') return null
  const files = published === null ? [] : allAccountsOf(published.snapshot)
  return files
    .filter(({ selector }) => selector.accountKey === target.accountKey)
    .map(({ account }) => account.upstream)
}

/** Creates every part, idle. */
function createParts(
  { config, demo, workers }: PipelineSetup,
  deps: PipelineDeps,
  events: Channel<PipelineEvents>,
) {
  const { clock } = deps
  const { displayTimezone, displayLanguage } = config.display
  const text = createWording(displayTimezone, languageOf(displayLanguage))
  const log = logThrough(events, config.log.logLevel)
  const report = reportThrough(events)
  const trustedClock = createTrustedClock({ clock, log })
  const pool = demo
    ? createDemoPool(clock, text.words)
    : createLivePool({ config, workers }, { ...deps, report, trustedClock, log })
  const refresh = createRefreshJob({
    refresher: pool.refresher,
    quotaProbesPerMinute: config.quota.quotaProbesPerMinute,
    clock,
    log,
    onEnded: (result) => report.count({ counter: 'manual_refresh_total', result }),
  })
  const usageClock = usageClockOf(clock, trustedClock)
  const usage = createUsageWatch({ reader: pool.recorded, clock: usageClock, log })
  const course = createPoolCourse(pool, {
    everySeconds: config.history.historyWriteSeconds,
    multiplier: config.capacity.weeklyToFiveHourMultiplier,
    clock,
  })
  const schedulers = createAskingSchedulers(clock)
  const { history } = pool
  const messages = demo
    ? null
    : createPoolMessages(config.notify, { ...deps, history, text, report, log })
  return {
    clock,
    /** The clock that dates usage. */
    usageClock,
    log,
    text,
    trustedClock,
    pool,
    refresh,
    usage,
    course,
    schedulers,
    /** Null without targets and in the demo, which sends no messages. */
    messages,
  }
}

type Parts = ReturnType<typeof createParts>

interface PoolOutputs {
  readonly onPublish: (published: Published) => void
  readonly onNews: (events: readonly PoolEvent[]) => void
}

/** Evaluates the observed pool, then formats and encodes the result with the context of the other parts. */
function createPoolMonitor(
  { config, exposedHost, version }: PipelineSetup,
  { clock, log, text, pool, refresh, usage, course, schedulers, messages }: Parts,
  { onPublish, onNews }: PoolOutputs,
): Monitor {
  const contextFor = ({ provider }: Snapshot): StatusContext => {
    const trendsByProvider = course.latest()
    return {
      text,
      usage: usage.latest(),
      trends: trendsOf(trendsByProvider, provider),
      trendsByProvider,
      refresh: refresh.latest(),
      ...(version === undefined ? {} : { version }),
    }
  }
  const leases = createTurnedLeases(() => pool.history?.shared?.standing() ?? null)
  return createMonitor({
    observe(now) {
      const observed = pool.source.latest(now)
      return {
        ...observed,
        ...pool.serviceAt(now, usage.latest()),
        ...schedulers.until(now, observed),
        ...(messages === null ? {} : { notify: messages.standings() }),
      }
    },
    policy: policyOf(config, exposedHost),
    takeRecorded: pool.takeRecorded,
    trends: course.latest,
    encode(evaluated, wanted) {
      const snapshot = atWholeSecond(evaluated)
      const context = contextFor(snapshot)
      const payloads = encodeSnapshot(snapshot, context, wanted)
      return { snapshot, context, payloads, ifStalled: ifStalledOf(snapshot, context) }
    },
    encodeMore(published, wanted) {
      const { snapshot, context } = published
      return {
        ...published,
        payloads: encodeSnapshot(snapshot, context, wanted, published.payloads),
      }
    },
    refreshContext: (published) => withContext(published, contextFor(published.snapshot)),
    isAwaited: () => refresh.isAwaited() || leases.areTurned(),
    readPaceMs: Math.min(...upstreamsOf(config).map(readPaceMsOf)),
    recordPaceMs:
      pool.history === null ? Number.POSITIVE_INFINITY : config.history.historyWriteSeconds * 1000,
    onSnapshot(snapshot, previous) {
      if (previous !== null) onNews(newsView(previous, snapshot, text))
      leases.evaluated(snapshot)
      if (snapshot.available) pool.history?.nameAccounts(accountTitlesOf(allAccountsOf(snapshot)))
      // A course dated by a wrong clock would be worthless.
      if (snapshot.clockDoubt === null) course.onSnapshot(snapshot)
      messages?.onSnapshot(snapshot, previous)
    },
    onPublish,
    clock,
    log,
  })
}

/** Starts the stored history first and the source last, so that new observations are compared with stored ones. */
function startParts(
  { clock, trustedClock, pool, refresh, usage, course, messages }: Parts,
  monitor: Monitor,
) {
  const { changed, republish } = monitor
  trustedClock.onTurn(changed)
  refresh.onChange(changed)
  messages?.start(changed)
  pool.history?.start({
    onSeed(seed) {
      course.seed(seed, seed.remembered)
      if (seed.remembered !== null) pool.restore(seed.remembered)
      pool.useAsked(seed.asked)
      messages?.seed(seed.told)
    },
    onSeen(seen) {
      course.follow(seen)
      if (seen.remembered !== null) pool.adopt(seen.remembered)
      pool.useAsked(seen.asked)
      messages?.follow(seen.told)
    },
    onAsked: pool.useAsked,
    onStored: usage.readNow,
    onChange() {
      usage.readNow()
      changed()
    },
  })
  usage.start({ onFirst: changed, onRead: republish })
  monitor.start()
  pool.source.start(changed)
  const known = pool.courseUntil(clock.now())
  if (known === null) return
  course.seed(known, null)
  changed()
}

/** Longest wait for received usage to be stored before the store closes. */
const SOURCE_STOP_MS_MAX = 2_000

/** Resolves with whether the threads of the history have ended. */
async function stopParts({ clock, pool, refresh, usage, messages }: Parts, monitor: Monitor) {
  monitor.stop()
  usage.stop()
  refresh.stop()
  await messages?.stop()
  // A source may be waiting for a store that does not answer.
  await endsWithin(clock, SOURCE_STOP_MS_MAX, pool.source.stop())
  return (await pool.history?.stop()) ?? true
}

function readPaceMsOf({ upstream }: Pick<Config, 'upstream'>): number {
  return upstream.refreshSeconds * 1000
}

function policyOf(
  { capacity, alerts, quota }: Config,
  exposedHost: string | null,
): EvaluationPolicy {
  return {
    multiplier: capacity.weeklyToFiveHourMultiplier,
    thresholds: alerts,
    exposedHost,
    scoring: scoringPolicy,
    quotaProbesPerMinute: quota.quotaProbesPerMinute,
  }
}
