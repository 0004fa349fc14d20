import type { Snapshot, WindowId } from '@svc/core'
import {
  type BankedTotal,
  bankedTotalOf,
  capacitiesOf,
  type ProviderPool,
  unknownNamesIn,
  type WindowCapacity,
} from '@svc/core/pool'
import { groupedBy, providerIds } from '@svc/core/service'
import { leftUnitsView, roundedUnits } from '@svc/views'
import { blockedByReason, gauge, type Samples, type SnapshotGauge } from './snapshot-gauge.ts'

/** Label of every provider without rules of its own: names come from the proxy, but labels must come from a closed set. */
const OTHER_PROVIDER = 'other'

/** Gauges of the resets that the owners of accounts may spend; no samples for a vendor that tells none. */
const bankedGauges: readonly SnapshotGauge[] = [
  bankedGauge(
    'banked_resets',
    'Resets that the owners of accounts may spend, by provider.',
    ({ count }) => count,
  ),
  bankedGauge(
    'banked_reset_expiry_timestamp_seconds',
    'When the first of these resets lapses, as Unix time; absent while unknown.',
    ({ lapsesAt }) => (lapsesAt === null ? null : lapsesAt / 1000),
  ),
]

function bankedGauge(
  name: string,
  help: string,
  figureOf: (total: BankedTotal) => number | null,
): SnapshotGauge {
  const ofProviders = providerGauge(name, help, [], (pools) => {
    const total = bankedTotalOf(pools.flatMap(({ accounts }) => accounts))
    const value = total === null ? null : figureOf(total)
    return value === null ? [] : [{ value }]
  })
  return { ...ofProviders, name }
}

/** The gauges of each provider that has an account. */
export const providerGauges: readonly SnapshotGauge[] = [
  providerGauge('accounts', 'Accounts of each provider.', [], (pools) => [
    { value: total(pools, ({ routableCount, blockedCount }) => routableCount + blockedCount) },
  ]),
  providerGauge(
    'routable_accounts',
    'Accounts of each provider that may be used now.',
    [],
    (pools) => [{ value: total(pools, ({ routableCount }) => routableCount) }],
  ),
  providerGauge(
    'blocked_accounts',
    'Accounts of each provider blocked by each reason; one account can have several.',
    ['reason'],
    (pools) => blockedByReason(pools.flatMap(({ accounts }) => accounts)),
  ),
  capacityGauge('known', 'Quota known to be left', ({ knownUnits }) => knownUnits),
  capacityGauge(
    'usable',
    'Part of the known quota on accounts that may be used now',
    (window) => leftUnitsView(window).usableUnits,
  ),
  capacityGauge(
    'held',
    'Part of the known quota on blocked accounts',
    (window) => leftUnitsView(window).heldUnits,
  ),
  capacityGauge(
    'tracked',
    'Quota of all enabled accounts of tracked plans when full',
    ({ trackedUnits }) => trackedUnits,
  ),
  capacityGauge(
    'unknown',
    'Tracked quota of which nothing is known',
    ({ unknownUnits }) => unknownUnits,
  ),
  capacityGauge(
    'stale',
    'Part of the known quota that rests on stale readings',
    ({ staleUnits }) => staleUnits,
  ),
  providerGauge(
    'unknown_names',
    'Windows, flags, limits and fields of each vendor that this version does not know; Sources names them.',
    [],
    (pools) => [
      {
        value: unknownNamesIn(pools.flatMap(({ accounts }) => accounts)).reduce(
          (sum, { count }) => sum + count,
          0,
        ),
      },
    ],
  ),
  providerGauge(
    'probes_paused',
    'Whether queries at the vendor wait because it refused one (1) or not (0).',
    [],
    (pools, { health }) => {
      const paused = health.sources.flatMap((source) => source.paused ?? [])
      const isPaused = pools.some((pool) =>
        paused.some(({ provider }) => provider === pool.provider),
      )
      return [{ value: Number(isPaused) }]
    },
  ),
  ...bankedGauges,
]

function capacityGauge(
  part: string,
  help: string,
  unitsOf: (capacity: WindowCapacity<WindowId>) => number,
): SnapshotGauge {
  return providerGauge(
    `capacity_${part}_units`,
    `${help}, in full windows of a Plus (codex) or Pro (claude) account, else of an account.`,
    ['window'],
    (pools) => {
      const unitsByWindow = new Map<WindowId, number>()
      for (const capacity of pools.flatMap(capacitiesOf)) {
        const { windowId: window } = capacity
        unitsByWindow.set(window, (unitsByWindow.get(window) ?? 0) + unitsOf(capacity))
      }
      return [...unitsByWindow].map(([window, units]) => ({
        labels: { window },
        value: roundedUnits(units),
      }))
    },
  )
}

/** A gauge with the samples of each provider. `samplesOf` gets the pools that share a label. */
function providerGauge(
  name: string,
  help: string,
  labels: readonly string[],
  samplesOf: (pools: readonly ProviderPool[], snapshot: Snapshot) => Samples,
): SnapshotGauge {
  return gauge(`provider_${name}`, help, ['provider', ...labels], (snapshot) =>
    [...poolsByLabel(snapshot)].flatMap(([provider, pools]) =>
      samplesOf(pools, snapshot).map((sample) => ({
        ...sample,
        labels: { provider, ...sample.labels },
      })),
    ),
  )
}

function poolsByLabel({ pools }: Snapshot): ReadonlyMap<string, readonly ProviderPool[]> {
  return groupedBy(pools, ({ provider }) =>
    providerIds.includes(provider) ? provider : OTHER_PROVIDER,
  )
}

function total(pools: readonly ProviderPool[], count: (pool: ProviderPool) => number): number {
  return pools.reduce((sum, pool) => sum + count(pool), 0)
}
