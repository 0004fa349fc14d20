import { Counter, Histogram, type Registry } from 'prom-client'
import { guardReasons } from '../guards/host-origin-guard.ts'

interface CounterRow {
  readonly help: string
  readonly labels: readonly string[]
  /** It is of one proxy, which it names where several are watched. */
  readonly ofUpstream?: true
  /** Values of its one label that are shown as 0 before anything was counted. */
  readonly shownAtStart?: readonly string[]
}

/** Every counter of what happens, but for answered requests, in the order in which they are shown. */
const eventCounters = {
  refresh_total: {
    help: 'Times the account list was due to be read, by result; held: the proxy was not asked.',
    labels: ['result'],
    ofUpstream: true,
  },
  upstream_errors_total: {
    help: 'Failed calls to the proxy, by endpoint.',
    labels: ['endpoint'],
    ofUpstream: true,
  },
  direct_quota_probes_total: {
    help: 'Direct quota queries, by class of account and result.',
    labels: ['class', 'result'],
    ofUpstream: true,
  },
  http_guard_denied_total: {
    help: 'Requests the Host and Origin guard refused, by reason.',
    labels: ['reason'],
    shownAtStart: guardReasons,
  },
  http_connections_refused_total: {
    help: 'Connections closed unread because of the limit on their number.',
    labels: [],
  },
  manual_refresh_total: {
    help: 'Manual refreshes of quota that have ended, by result.',
    labels: ['result'],
    shownAtStart: ['completed', 'partial', 'failed'],
  },
  usage_rows_ingested_total: { help: 'Usage records stored.', labels: [], ofUpstream: true },
  usage_rows_duplicate_total: {
    help: 'Usage records that were stored already.',
    labels: [],
    ofUpstream: true,
  },
  usage_rows_quarantined_total: {
    help: 'Usage records that could not be read.',
    labels: [],
    ofUpstream: true,
  },
  usage_rows_expired_total: {
    help: 'Usage records older than the history reaches back.',
    labels: [],
    ofUpstream: true,
  },
  usage_rows_missing_total: {
    help: 'Requests the proxy has counted and did not hand to this monitor.',
    labels: [],
    ofUpstream: true,
  },
  usage_gap_seconds_total: {
    help: 'Time in which usage may have been missed.',
    labels: [],
    ofUpstream: true,
  },
} as const satisfies Readonly<Record<string, CounterRow>>

type EventCounters = typeof eventCounters

/** The counters of what happens at one proxy. */
type UpstreamCounter = {
  [Name in keyof EventCounters]: EventCounters[Name] extends { ofUpstream: true } ? Name : never
}[keyof EventCounters]

type CountOf<Name extends keyof EventCounters> = {
  readonly counter: Name
  readonly by?: number
} & Readonly<Record<EventCounters[Name]['labels'][number], string>>

/** What is added to a counter of one proxy, which is named where several are watched. */
export type UpstreamCount = {
  readonly [Name in UpstreamCounter]: CountOf<Name> & { readonly upstream?: string }
}[UpstreamCounter]

/** What is added to one of the counters: 1 unless `by` says how much, under a value for each of its labels. */
export type Count =
  | UpstreamCount
  | {
      readonly [Name in Exclude<keyof EventCounters, UpstreamCounter>]: CountOf<Name>
    }[Exclude<keyof EventCounters, UpstreamCounter>]

/** Counters of one proxy that have no other label: of several proxies each has its own. */
const unlabelledNames = (Object.entries(eventCounters) as [string, CounterRow][]).flatMap(
  ([name, { labels, ofUpstream }]) => (labels.length === 0 && ofUpstream === true ? [name] : []),
)

/**
 * Where each part of the service reports what happens. The counts are kept by the thread that answers `/metrics`, so a pipeline that is started again
 * goes on with them.
 */
export interface Report {
  readonly count: (count: Count) => void
  /** The account list was read in this time; `upstream` is the proxy where several are watched. */
  readonly timeListRead: (seconds: number, upstream?: string) => void
  /** How much older than the history reaches back its oldest row is. */
  readonly setBacklog: (seconds: number) => void
  /** How far the standby that charts are read from is behind; null where that is not known, or there is none. */
  readonly setLag: (seconds: number | null) => void
}

/** Only where several proxies are watched. */
export const UPSTREAM_LABEL = 'upstream'

/** Where is reported what happens at one proxy. */
export interface UpstreamReport {
  readonly count: (count: UpstreamCount) => void
  /** The account list was read in this time. */
  readonly timeListRead: (seconds: number) => void
}

/** Upstream calls take milliseconds to a minute. In seconds. */
const REFRESH_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Registers the counters, and the times of reading the account list after them. */
export function createEventCounters(
  prefix: string,
  registry: Registry,
): Pick<Report, 'count' | 'timeListRead'> {
  const registers = [registry]
  const counters = new Map<string, Counter>()
  for (const [name, row] of Object.entries<CounterRow>(eventCounters)) {
    const { help, labels, shownAtStart = [], ofUpstream } = row
    const labelNames = [...labels, ...(ofUpstream === true ? [UPSTREAM_LABEL] : [])]
    const counter = new Counter({ name: prefix + name, help, labelNames, registers })
    for (const value of shownAtStart) counter.labels(value).inc(0)
    if (labels.length === 0) counter.inc(0)
    counters.set(name, counter)
  }
  const refreshSeconds = new Histogram({
    name: `${prefix}refresh_duration_seconds`,
    help: 'Time to read the account list.',
    labelNames: [UPSTREAM_LABEL],
    buckets: REFRESH_BUCKETS,
    registers,
  })
  refreshSeconds.zero({})
  /** What is shown as 0 before anything was counted, and is no proxy's where there are several. */
  const nobodys = new Set([...unlabelledNames.map((name) => counters.get(name)), refreshSeconds])
  const take = (metric: Counter | Histogram, upstream: string | undefined) => {
    if (nobodys.delete(metric) && upstream !== undefined) metric.remove({})
  }
  return {
    count({ counter: name, by = 1, ...labels }) {
      const counter = counters.get(name)
      if (counter === undefined) return
      take(counter, 'upstream' in labels ? labels.upstream : undefined)
      counter.inc(labels, by)
    },
    timeListRead(seconds, upstream) {
      take(refreshSeconds, upstream)
      refreshSeconds.observe(upstream === undefined ? {} : { upstream }, seconds)
    },
  }
}
