import { mainWindows, type Snapshot, type Tone } from '@svc/core'
import { subscriptionOf, subscriptionStates } from '@svc/core/account'
import {
  noTrends,
  poolOfProviders,
  type Runway,
  reclaimableAccounts,
  type SnapshotSourceKind,
  uniqueAccounts,
  type WindowCapacity,
} from '@svc/core/pool'
import { ASSUMED_PROVIDER, type DiskRoom, isKnownPlan, planKindsOf } from '@svc/core/service'
import { coveragePercentOf, type UsageHistory } from '@svc/core/usage'
import { healthActionCodes, leftUnitsView, roundedUnits } from '@svc/views'
import { UPSTREAM_LABEL } from './event-counters.ts'
import { providerGauges } from './provider-families.ts'
import {
  blockedByReason,
  type GaugeContext,
  type GaugeSamples,
  gauge,
  type Samples,
  type SnapshotGauge,
} from './snapshot-gauge.ts'

const SOURCES: readonly SnapshotSourceKind[] = ['live', 'partial', 'stale', 'unavailable', 'demo']
const STATES: readonly Tone[] = ['good', 'warn', 'bad', 'unknown']

/** Gauges that cover the accounts, units and plans of Codex alone. A new metric is one row here. */
const codexGauges: readonly SnapshotGauge[] = [
  gauge('snapshot_available', 'Whether an account list was ever read (1) or not (0).', [], (s) =>
    one(Number(s.available)),
  ),
  gauge(
    'snapshot_source',
    'How far the snapshot can be trusted, 1 for the source in force.',
    ['source'],
    (s) => oneHot('source', SOURCES, s.source),
  ),
  gauge(
    'gateway_up',
    'Whether the gateway answered its last health check.',
    [UPSTREAM_LABEL],
    (s) =>
      (s.upstreams ?? [s]).flatMap((one) =>
        sampleIfKnown(one.gatewayUp === null ? null : Number(one.gatewayUp)).map(({ value }) => ({
          ...('name' in one ? { labels: { [UPSTREAM_LABEL]: one.name } } : {}),
          value,
        })),
      ),
  ),
  gauge('health_state', 'State of health, 1 for the state in force.', ['state'], (s) =>
    oneHot('state', STATES, s.health.state),
  ),
  gauge('health_action_count', 'Things an operator must act on.', [], (s) =>
    one(s.health.actions.length),
  ),
  gauge('health_actions', 'Things an operator must act on, by code.', ['code'], (s) =>
    countSamples(
      'code',
      healthActionCodes,
      s.health.actions.map(({ action }) => action.code),
    ),
  ),
  gauge('routable_accounts', 'Codex accounts that may be used now.', [], (s) =>
    one(s.routableCount),
  ),
  gauge('blocked_accounts', 'Codex accounts that must not be used now.', [], (s) =>
    one(s.blockedCount),
  ),
  gauge(
    'blocked_accounts_by_reason',
    'Codex accounts blocked by each reason, at whichever proxy; one account can have several.',
    ['reason'],
    (s) => blockedByReason(s.accounts),
  ),
  gauge(
    'subscription_accounts',
    'Enabled Codex accounts by the state of their subscription, as their last login says; one whose login names no end is left out.',
    ['state'],
    (s) =>
      countSamples(
        'state',
        subscriptionStates,
        uniqueAccounts(s.accounts)
          .filter(({ blockedReasons }) => !blockedReasons.includes('operator_disabled'))
          .flatMap((account) => subscriptionOf(account, s.evaluatedAt)?.state ?? []),
      ),
  ),
  gauge(
    'top_routing_score',
    'Routing score of the best Codex account, 0 when none may be used.',
    [],
    (s) => one(s.topScore),
  ),
  gauge(
    'reclaim_eligible_accounts',
    'Codex accounts whose 5h quota is lost within the hour if nobody spends it.',
    [],
    (s) => one(reclaimableAccounts(s.accounts).length),
  ),
  gauge('accounts', 'Codex accounts by plan.', ['plan'], (s) =>
    countSamples(
      'plan',
      [...planKindsOf(ASSUMED_PROVIDER), 'other'],
      uniqueAccounts(s.accounts).map(({ account: { provider }, plan }) =>
        isKnownPlan({ provider, plan }) ? plan : 'other',
      ),
    ),
  ),
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
  gauge(
    'vendor_reset_timestamp_seconds',
    'When the last reset of a window by the vendor was first seen, as Unix time.',
    ['window'],
    ({ vendorWatch }) =>
      mainWindows.flatMap(({ id }) => {
        const seen = [...vendorWatch.last.values()].flatMap(({ reset }) =>
          reset.provider === ASSUMED_PROVIDER && reset.windowId === id ? [reset.seenAt] : [],
        )
        return seen.length === 0
          ? []
          : [{ labels: { window: id }, value: Math.max(...seen) / 1000 }]
      }),
  ),
  gauge(
    'manual_refresh_running',
    'Whether a manual refresh is under way (1) or not (0).',
    [],
    (_, { refresh }) => one(Number(refresh.status === 'running')),
  ),
  gauge('history_enabled', 'Whether usage is kept (1) or not (0).', [], (_, { usage }) =>
    one(Number(usage.kind !== 'off')),
  ),
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
  diskGauge(
    'history_disk_free_bytes',
    'Free space on the disk of a history in a file.',
    (disk) => disk.freeBytes,
  ),
  diskGauge(
    'history_disk_full_days',
    'Days until the history has filled its disk at the pace of the last week, +Inf if it will not; absent while too little is known, and for a database.',
    (disk) => disk.fullInDays,
  ),
  gauge(
    'leader',
    'Whether this monitor acts for a proxy (1) or another one of the same history may (0).',
    [UPSTREAM_LABEL],
    ({ leases = [] }) =>
      leases.map(({ upstream, isOurs }) => ({
        labels: { [UPSTREAM_LABEL]: upstream },
        value: Number(isOurs),
      })),
  ),
  gauge(
    'usage_way',
    'The way usage records come now, as 1; absent while usage is not read.',
    ['way', UPSTREAM_LABEL],
    (s) =>
      s.health.sources.flatMap(({ usageWay, upstream }) =>
        usageWay === undefined
          ? []
          : [
              {
                labels: { way: usageWay, ...(upstream === undefined ? {} : { upstream }) },
                value: 1,
              },
            ],
      ),
  ),
  gauge(
    'last_success_timestamp_seconds',
    'When each source last answered well, as Unix time.',
    ['source', UPSTREAM_LABEL],
    (s) =>
      s.health.sources.flatMap(({ id, upstream, lastGoodAt }) => {
        const labels = { source: id, ...(upstream === undefined ? {} : { upstream }) }
        return lastGoodAt === null ? [] : [{ labels, value: lastGoodAt / 1000 }]
      }),
  ),
]

export const snapshotGauges: readonly SnapshotGauge[] = [...codexGauges, ...providerGauges]

/** The gauges that show the state of health and its actions; all others stay the same if a snapshot stalls. */
export const healthGauges = snapshotGauges.filter(({ name }) => name.startsWith('health_'))

/** Gauges with their values. */
export function gaugeSamplesOf(
  snapshot: Snapshot,
  context: GaugeContext,
  gauges = snapshotGauges,
): readonly GaugeSamples[] {
  const codex = poolOfProviders(snapshot, [ASSUMED_PROVIDER])
  // Trends are of the pool at home, which is another one only without any Codex account.
  const trends = snapshot.provider === ASSUMED_PROVIDER ? context.trends : noTrends
  return gauges.map(({ name, samples }) => ({
    name,
    samples: samples(codex, { ...context, trends }),
  }))
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
  return gauge(name, help, ['window'], ({ capacity }) =>
    Object.values(capacity).flatMap((window) => {
      const value = unitsOf(window)
      return value === null ? [] : [{ labels: { window: window.windowId }, value }]
    }),
  )
}

function trendGauge(
  name: string,
  help: string,
  measure: (runway: Runway) => number | null,
): SnapshotGauge {
  return gauge(name, help, ['window'], (_, { trends }) =>
    mainWindows.flatMap(({ id }) =>
      sampleIfKnown(measure(trends[id].runway)).map((sample) => ({
        ...sample,
        labels: { window: id },
      })),
    ),
  )
}

function diskGauge(
  name: string,
  help: string,
  measure: (disk: DiskRoom) => number | null,
): SnapshotGauge {
  return gauge(name, help, [], ({ health }) =>
    health.sources.flatMap(({ disk }) => (disk === undefined ? [] : sampleIfKnown(measure(disk)))),
  )
}

function historyGauge(
  name: string,
  help: string,
  measure: (history: UsageHistory) => number | null,
): SnapshotGauge {
  return gauge(name, help, [], (_, { usage }) =>
    usage.kind === 'read' ? sampleIfKnown(measure(usage.summary.history)) : [],
  )
}
