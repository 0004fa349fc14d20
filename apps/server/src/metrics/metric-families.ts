import { type BlockedReason, mainWindows, type Snapshot, type Tone } from '@svc/core'
import { subscriptionOf, subscriptionStates } from '@svc/core/account'
import {
  countedOnce,
  type Runway,
  type SnapshotSourceKind,
  type Trends,
  type WindowCapacity,
} from '@svc/core/pool'
import { ASSUMED_PROVIDER, isKnownPlan, planKindsOf, type RefreshState } from '@svc/core/service'
import { coveragePercentOf, type UsageHistory, type UsageReading } from '@svc/core/usage'
import { healthActionCodes, leftUnitsView, roundedUnits } from '@svc/views'
import { UPSTREAM_LABEL } from './event-counters.ts'

/** Values of one gauge, one line per label set. An unknown value is left out, never replaced by a guess. */
type Samples = readonly {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}[]

/** The values of one gauge at one time. */
export interface GaugeSamples {
  /** Name without the prefix. */
  readonly name: string
  readonly samples: Samples
}

/** A gauge computed from a snapshot and its context. */
export interface SnapshotGauge {
  /** Name without the prefix. */
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  readonly samples: (snapshot: Snapshot, context: GaugeContext) => Samples
}

/** Input of the gauges in addition to the snapshot. */
export interface GaugeContext {
  readonly usage: UsageReading
  readonly trends: Trends
  readonly refresh: RefreshState
}

const SOURCES: readonly SnapshotSourceKind[] = ['live', 'partial', 'stale', 'unavailable', 'demo']
const STATES: readonly Tone[] = ['good', 'warn', 'bad', 'unknown']
const OTHER_WINDOW_EXHAUSTED = 'quota_exhausted_other'
const REASONS: readonly string[] = [
  'operator_disabled',
  'auth_invalid',
  'status_invalid',
  ...mainWindows.map(({ id }) => `quota_exhausted_${id}`),
  'quota_exhausted_month',
  OTHER_WINDOW_EXHAUSTED,
  'upstream_retry_after',
  'cooldown',
]

/** Every gauge of a snapshot. A new metric is one row here. */
export const snapshotGauges: readonly SnapshotGauge[] = [
  {
    name: 'snapshot_available',
    help: 'Whether an account list was ever read (1) or not (0).',
    samples: (s) => one(Number(s.available)),
  },
  {
    name: 'snapshot_source',
    help: 'How far the snapshot can be trusted, 1 for the source in force.',
    labels: ['source'],
    samples: (s) => oneHot('source', SOURCES, s.source),
  },
  {
    name: 'gateway_up',
    help: 'Whether the gateway answered its last health check.',
    labels: [UPSTREAM_LABEL],
    samples: (s) =>
      (s.upstreams ?? [s]).flatMap((one) =>
        sampleIfKnown(one.gatewayUp === null ? null : Number(one.gatewayUp)).map(({ value }) => ({
          ...('name' in one ? { labels: { [UPSTREAM_LABEL]: one.name } } : {}),
          value,
        })),
      ),
  },
  {
    name: 'health_state',
    help: 'State of health, 1 for the state in force.',
    labels: ['state'],
    samples: (s) => oneHot('state', STATES, s.health.state),
  },
  {
    name: 'health_action_count',
    help: 'Things an operator must act on.',
    samples: (s) => one(s.health.actions.length),
  },
  {
    name: 'health_actions',
    help: 'Things an operator must act on, by code.',
    labels: ['code'],
    samples: (s) =>
      countSamples(
        'code',
        healthActionCodes,
        s.health.actions.map(({ action }) => action.code),
      ),
  },
  {
    name: 'routable_accounts',
    help: 'Accounts that may be used now.',
    samples: (s) => one(s.routableCount),
  },
  {
    name: 'blocked_accounts',
    help: 'Accounts that must not be used now.',
    samples: (s) => one(s.blockedCount),
  },
  {
    name: 'blocked_accounts_by_reason',
    help: 'Accounts blocked by each reason, at whichever proxy; one account can have several.',
    labels: ['reason'],
    samples: (s) =>
      REASONS.map((reason) => {
        const blocked = s.accounts.filter(({ blockedReasons }) =>
          blockedReasons.some((one) => reasonLabel(one) === reason),
        )
        return { labels: { reason }, value: countedOnce(blocked).length }
      }),
  },
  {
    name: 'subscription_accounts',
    help: 'Enabled accounts by the state of their subscription, as their last login says; one whose login names no end is left out.',
    labels: ['state'],
    samples: (s) =>
      countSamples(
        'state',
        subscriptionStates,
        countedOnce(s.accounts)
          .filter(({ blockedReasons }) => !blockedReasons.includes('operator_disabled'))
          .flatMap((account) => subscriptionOf(account, s.evaluatedAt)?.state ?? []),
      ),
  },
  {
    name: 'top_routing_score',
    help: 'Routing score of the best account, 0 when none may be used.',
    samples: (s) => one(s.topScore),
  },
  {
    name: 'reclaim_eligible_accounts',
    help: 'Accounts whose 5h quota is lost within the hour if nobody spends it.',
    samples: (s) => one(countedOnce(s.accounts).filter(({ reclaim }) => reclaim !== null).length),
  },
  {
    name: 'accounts',
    help: 'Accounts by plan.',
    labels: ['plan'],
    samples: (s) =>
      countSamples(
        'plan',
        [...planKindsOf(ASSUMED_PROVIDER), 'other'],
        countedOnce(s.accounts).map(({ account: { provider }, plan }) =>
          isKnownPlan({ provider, plan }) ? plan : 'other',
        ),
      ),
  },
  capacityGauge(
    'capacity_known_plus_units',
    'Quota known to be left, in full windows of a Plus account.',
    (window) => roundedUnits(window.knownUnits),
  ),
  capacityGauge(
    'capacity_usable_plus_units',
    'Part of the known quota on accounts that may be used.',
    (window) => leftUnitsView(window).usableUnits,
  ),
  capacityGauge(
    'capacity_held_plus_units',
    'Part of the known quota on blocked accounts; with the usable part it is the known quota.',
    (window) => leftUnitsView(window).heldUnits,
  ),
  capacityGauge(
    'capacity_tracked_plus_units',
    'Quota of all enabled accounts of tracked plans when full.',
    (window) => roundedUnits(window.trackedUnits),
  ),
  capacityGauge(
    'capacity_unknown_plus_units',
    'Tracked quota of which nothing is known.',
    (window) => roundedUnits(window.unknownUnits),
  ),
  capacityGauge(
    'capacity_stale_plus_units',
    'Part of the known quota that rests on stale readings.',
    (window) => roundedUnits(window.staleUnits),
  ),
  capacityGauge(
    'capacity_exhausted_accounts',
    'Accounts that have used the window up; those that are logged out do not count.',
    (window) => window.exhaustedCount,
  ),
  capacityGauge(
    'capacity_next_recovery_timestamp_seconds',
    'When the next reset returns quota, as Unix time.',
    (window) => {
      const next = window.returns[0]
      return next === undefined ? null : next.at / 1000
    },
  ),
  trendGauge(
    'capacity_burn_plus_units_per_hour',
    'Units expected to be used in the next hour.',
    ({ burnPerHour }) => (burnPerHour === null ? null : roundedUnits(burnPerHour)),
  ),
  trendGauge(
    'capacity_runs_dry_timestamp_seconds',
    'When the window runs dry at the expected burn, as Unix time.',
    ({ runsDryAt }) => (runsDryAt === null ? null : runsDryAt / 1000),
  ),
  {
    name: 'vendor_reset_timestamp_seconds',
    help: 'When the last reset of a window by the vendor was first seen, as Unix time.',
    labels: ['window'],
    samples: ({ vendorWatch }) =>
      mainWindows.flatMap(({ id }) => {
        const resets = [...vendorWatch.last.values()].map(({ reset }) => reset)
        const seen = resets.filter(({ windowId }) => windowId === id).map(({ seenAt }) => seenAt)
        return seen.length === 0
          ? []
          : [{ labels: { window: id }, value: Math.max(...seen) / 1000 }]
      }),
  },
  {
    name: 'manual_refresh_running',
    help: 'Whether a manual refresh is under way (1) or not (0).',
    samples: (_, { refresh }) => one(Number(refresh.status === 'running')),
  },
  {
    name: 'history_enabled',
    help: 'Whether usage is kept (1) or not (0).',
    samples: (_, { usage }) => one(Number(usage.kind !== 'off')),
  },
  historyGauge('history_rows', 'Requests in the usage history.', ({ totals }) => totals.requests),
  historyGauge(
    'history_database_bytes',
    'Size of the history store.',
    ({ databaseBytes }) => databaseBytes,
  ),
  historyGauge(
    'usage_coverage_ratio',
    'Part of the last 30 days in which no usage was missed.',
    (history) => {
      const percent = coveragePercentOf(history)
      return percent === null ? null : percent / 100
    },
  ),
  {
    name: 'leader',
    help: 'Whether this monitor acts for a proxy (1) or another one of the same history may (0).',
    labels: [UPSTREAM_LABEL],
    samples: ({ leases = [] }) =>
      leases.map(({ upstream, isOurs }) => ({
        labels: { [UPSTREAM_LABEL]: upstream },
        value: Number(isOurs),
      })),
  },
  {
    name: 'last_success_timestamp_seconds',
    help: 'When each source last answered well, as Unix time.',
    labels: ['source', UPSTREAM_LABEL],
    samples: (s) =>
      s.health.sources.flatMap(({ id, upstream, lastGoodAt }) => {
        const labels = { source: id, ...(upstream === undefined ? {} : { upstream }) }
        return lastGoodAt === null ? [] : [{ labels, value: lastGoodAt / 1000 }]
      }),
  },
]

/** Every gauge with its values. */
export function gaugeSamplesOf(snapshot: Snapshot, context: GaugeContext): readonly GaugeSamples[] {
  return snapshotGauges.map(({ name, samples }) => ({ name, samples: samples(snapshot, context) }))
}

function one(value: number): Samples {
  return [{ value }]
}

function sampleIfKnown(value: number | null): Samples {
  return value === null ? [] : [{ value }]
}

function oneHot(label: string, values: readonly string[], current: string): Samples {
  return values.map((value) => ({ labels: { [label]: value }, value: Number(value === current) }))
}

/** Number of occurrences of each value of a closed set, including the values that do not occur. */
function countSamples(label: string, values: readonly string[], found: readonly string[]): Samples {
  const counts = new Map(values.map((value) => [value, 0]))
  for (const value of found) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => ({ labels: { [label]: value }, value: count }))
}

function capacityGauge(
  name: string,
  help: string,
  unitsOf: (window: WindowCapacity) => number | null,
): SnapshotGauge {
  return {
    name,
    help,
    labels: ['window'],
    samples: ({ capacity }) =>
      Object.values(capacity).flatMap((window) => {
        const value = unitsOf(window)
        return value === null ? [] : [{ labels: { window: window.windowId }, value }]
      }),
  }
}

function trendGauge(
  name: string,
  help: string,
  measure: (runway: Runway) => number | null,
): SnapshotGauge {
  return {
    name,
    help,
    labels: ['window'],
    samples: (_, { trends }) =>
      mainWindows.flatMap(({ id }) =>
        sampleIfKnown(measure(trends[id].runway)).map((sample) => ({
          ...sample,
          labels: { window: id },
        })),
      ),
  }
}

function historyGauge(
  name: string,
  help: string,
  measure: (history: UsageHistory) => number | null,
): SnapshotGauge {
  return {
    name,
    help,
    samples: (_, { usage }) =>
      usage.kind === 'read' ? sampleIfKnown(measure(usage.summary.history)) : [],
  }
}

/** Label of a reason. Window ids come from the vendor, but labels must come from a closed set. */
function reasonLabel(reason: BlockedReason): string {
  return REASONS.includes(reason) ? reason : OTHER_WINDOW_EXHAUSTED
}
