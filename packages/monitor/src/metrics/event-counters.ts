import type { EpochMs } from '@svc/core'
import type { CountedIncrements, UsageRanking } from '@svc/core/usage'

/** Every reason for which the guard refuses a request; a closed set, because it labels a metric. */
export const guardReasons = [
  'host_count',
  'host_syntax',
  'target',
  'target_authority',
  'host',
  'origin_syntax',
  'origin',
  'fetch_metadata',
] as const
export type GuardReason = (typeof guardReasons)[number]

/** Definition of one counter: its help text and labels. */
export interface CounterRow {
  readonly help: string
  readonly labels: readonly string[]
  /** True if the counter belongs to one proxy; it is labelled with the proxy if the configuration lists proxies. */
  readonly ofUpstream?: true
  /** Values of its single label that are shown as 0 before the first count. */
  readonly shownAtStart?: readonly string[]
}

const OF_PROXY = { labels: [], ofUpstream: true } as const

/** Every event counter except that of answered requests, in display order. */
export const eventCounters = {
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
  notifications_total: {
    help: 'Messages that have arrived at a target (sent) or were given up (lost).',
    labels: ['target', 'result'],
  },
  usage_rows_ingested_total: { help: 'Usage records stored.', ...OF_PROXY },
  usage_rows_duplicate_total: { help: 'Usage records that were stored already.', ...OF_PROXY },
  usage_rows_quarantined_total: { help: 'Usage records that could not be read.', ...OF_PROXY },
  usage_rows_expired_total: {
    help: 'Usage records older than the history reaches back.',
    ...OF_PROXY,
  },
  usage_rows_missing_total: {
    help: 'Requests the proxy has counted and did not hand to this monitor.',
    ...OF_PROXY,
  },
  usage_subscriber_reconnects_total: {
    help: 'Subscriptions to usage that ended by themselves and were made again.',
    ...OF_PROXY,
  },
  usage_gap_seconds_total: { help: 'Time in which usage may have been missed.', ...OF_PROXY },
} as const satisfies Readonly<Record<string, CounterRow>>

type EventCounters = typeof eventCounters

/** Names of the counters that belong to one proxy. */
type UpstreamCounter = {
  [Name in keyof EventCounters]: EventCounters[Name] extends { ofUpstream: true } ? Name : never
}[keyof EventCounters]

type CountOf<Name extends keyof EventCounters> = {
  readonly counter: Name
  readonly by?: number
} & Readonly<Record<EventCounters[Name]['labels'][number], string>>

/** An increment of a counter that belongs to one proxy; names the proxy if the configuration lists proxies. */
export type UpstreamCount = {
  readonly [Name in UpstreamCounter]: CountOf<Name> & { readonly upstream?: string }
}[UpstreamCounter]

/** An increment of one counter, by 1 unless `by` is given, with a value for each of its labels. */
export type Count =
  | UpstreamCount
  | {
      readonly [Name in Exclude<keyof EventCounters, UpstreamCounter>]: CountOf<Name>
    }[Exclude<keyof EventCounters, UpstreamCounter>]

/**
 * Receives events from every part of the service. The thread that answers `/metrics` keeps the counts, so they survive a restart of the
 * pipeline.
 */
export interface Report {
  readonly count: (count: Count) => void
  /** Gives the most used names of the last days series of their own, as far as there is room. */
  readonly rankUsage: (ranking: UsageRanking) => void
  /** Counts stored usage. */
  readonly countUsage: (increments: CountedIncrements, upstream?: string) => void
  /** Notes the seconds it took to read the account list; `upstream` is the proxy if the configuration lists them. */
  readonly timeListRead: (seconds: number, upstream?: string) => void
  /** Sets the arrival of the oldest usage record over a standing connection that waits long for the store; null once all are stored. */
  readonly setUsageWait: (since: EpochMs | null, upstream?: string) => void
  /** Sets the seconds by which the oldest row exceeds the retention time. */
  readonly setBacklog: (seconds: number) => void
  /** Sets the lag in seconds of the standby that charts are read from; null if unknown, or without a standby. */
  readonly setLag: (seconds: number | null) => void
}

/** Used only if several proxies are watched. */
export const UPSTREAM_LABEL = 'upstream'

/** Receives the events at one proxy. */
export interface UpstreamReport {
  readonly count: (count: UpstreamCount) => void
  readonly countUsage: (increments: CountedIncrements) => void
  /** Notes the seconds it took to read the account list. */
  readonly timeListRead: (seconds: number) => void
  readonly setUsageWait: (since: EpochMs | null) => void
}
