import { Counter, Histogram, type Registry } from 'prom-client'
import { guardReasons } from '../guards/host-origin-guard.ts'

interface CounterRow {
  readonly help: string
  readonly labels: readonly string[]
  /** Values of its one label that are shown as 0 before anything was counted. */
  readonly shownAtStart?: readonly string[]
}

/** Every counter of what happens, but for answered requests, in the order in which they are shown. */
const eventCounters = {
  refresh_total: {
    help: 'Times the account list was due to be read, by result; held: the proxy was not asked.',
    labels: ['result'],
  },
  upstream_errors_total: {
    help: 'Failed calls to the proxy, by endpoint.',
    labels: ['endpoint'],
  },
  direct_quota_probes_total: {
    help: 'Direct quota queries, by class of account and result.',
    labels: ['class', 'result'],
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
  usage_rows_ingested_total: { help: 'Usage records stored.', labels: [] },
  usage_rows_duplicate_total: { help: 'Usage records that were stored already.', labels: [] },
  usage_rows_quarantined_total: { help: 'Usage records that could not be read.', labels: [] },
  usage_rows_expired_total: {
    help: 'Usage records older than the history reaches back.',
    labels: [],
  },
  usage_rows_missing_total: {
    help: 'Requests the proxy has counted and did not hand to this monitor.',
    labels: [],
  },
  usage_gap_seconds_total: { help: 'Time in which usage may have been missed.', labels: [] },
} as const satisfies Readonly<Record<string, CounterRow>>

type EventCounters = typeof eventCounters

/** What is added to one of the counters: 1 unless `by` says how much, under a value for each of its labels. */
export type Count = {
  readonly [Name in keyof EventCounters]: {
    readonly counter: Name
    readonly by?: number
  } & Readonly<Record<EventCounters[Name]['labels'][number], string>>
}[keyof EventCounters]

/**
 * Where each part of the service reports what happens. The counts are kept by the thread that answers `/metrics`, so a pipeline that is started again
 * goes on with them.
 */
export interface Report {
  readonly count: (count: Count) => void
  /** The account list was read in this time. */
  readonly timeListRead: (seconds: number) => void
  /** How much older than the history reaches back its oldest row is. */
  readonly setBacklog: (seconds: number) => void
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
    const { help, labels, shownAtStart = [] } = row
    const counter = new Counter({ name: prefix + name, help, labelNames: [...labels], registers })
    for (const value of shownAtStart) counter.labels(value).inc(0)
    counters.set(name, counter)
  }
  const refreshSeconds = new Histogram({
    name: `${prefix}refresh_duration_seconds`,
    help: 'Time to read the account list.',
    buckets: REFRESH_BUCKETS,
    registers,
  })
  return {
    count: ({ counter, by = 1, ...labels }) => counters.get(counter)?.inc(labels, by),
    timeListRead: (seconds) => refreshSeconds.observe(seconds),
  }
}
