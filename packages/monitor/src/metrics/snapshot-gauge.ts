import { type BlockedReason, type EvaluatedAccount, mainWindows, type Snapshot } from '@svc/core'
import { type Trends, uniqueAccounts } from '@svc/core/pool'
import type { RefreshState } from '@svc/core/service'
import type { UsageReading } from '@svc/core/usage'

/** Values of one gauge, one line per label set. An unknown value is left out, never replaced by a guess. */
export type Samples = readonly {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}[]

/** The values of one gauge at one time. */
export interface GaugeSamples {
  /** Name without the prefix. */
  readonly name: string
  readonly samples: Samples
}

/** A gauge computed from a snapshot and its context. The name has no prefix. */
export function gauge(
  name: string,
  help: string,
  labels: readonly string[],
  samples: (snapshot: Snapshot, context: GaugeContext) => Samples,
) {
  return { name, help, labels, samples }
}
export type SnapshotGauge = ReturnType<typeof gauge>

/** Input of the gauges in addition to the snapshot. */
export interface GaugeContext {
  readonly usage: UsageReading
  readonly trends: Trends
  readonly refresh: RefreshState
}

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

/** Number of accounts blocked by each reason, including reasons that block none. An account of several proxies counts once. */
export function blockedByReason(accounts: readonly EvaluatedAccount[]): Samples {
  return REASONS.map((reason) => {
    const blocked = accounts.filter(({ blockedReasons }) =>
      blockedReasons.some((one) => labelOf(one) === reason),
    )
    return { labels: { reason }, value: uniqueAccounts(blocked).length }
  })
}

/** Label of a reason. Window ids come from the vendor, but labels must come from a closed set. */
function labelOf(reason: BlockedReason): string {
  return REASONS.includes(reason) ? reason : OTHER_WINDOW_EXHAUSTED
}
