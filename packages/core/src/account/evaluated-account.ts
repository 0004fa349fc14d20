import type { Account, AccountSelector } from '../facts/account.ts'
import type { DisabledProbe, QuotaClass } from '../facts/account-evidence.ts'
import type { PlanKind } from '../facts/plan.ts'
import type { ReadingOrigin } from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import type { PerWindow } from '../facts/window.ts'
import type { WindowQuota } from './account-quota.ts'
import type { AccountStatus, LoginLoss, RefusedQuery } from './account-status.ts'
import type { BlockedReason } from './blocked-reasons.ts'
import type { QuotaWindow } from './quota-window.ts'
import type { ReclaimWindow } from './reclaim-window.ts'
import type { ScoreComponents } from './routing-score.ts'

/** One account with everything the rules say about it. */
export interface EvaluatedAccount {
  readonly selector: AccountSelector
  /** Unique within the snapshot. */
  readonly title: string
  readonly account: Account
  readonly plan: PlanKind
  /** The vendor's name of the plan; left out or null: none is known. */
  readonly planName?: string | null
  /** The usual plan of its pool, with which the score counts until its own was asked for; left out if it counts with `plan`. */
  readonly scoredPlan?: PlanKind
  /** Plus units; 0 when untracked, operator-disabled or deactivated. */
  readonly capacityWeight: number
  /** Main windows first, in the order of `mainWindows`, then further limits of the account itself. */
  readonly windows: readonly QuotaWindow[]
  readonly quota: PerWindow<WindowQuota>
  /** Limits of another scope; never part of routing or capacity. */
  readonly scopedWindows: readonly QuotaWindow[]
  /** Unknown names in its readings; none if omitted. */
  readonly unknownNames?: readonly string[]
  readonly status: AccountStatus
  /** Empty exactly when `routable`. */
  readonly blockedReasons: readonly BlockedReason[]
  readonly routable: boolean
  /** Time until which the proxy or a usage limit holds the account back; null if neither does, or the time is unknown. */
  readonly heldUntil: EpochMs | null
  /** Time until which the account rests after a refusal that named no time; null if it does not rest, or the time is unknown. */
  readonly coolsUntil: EpochMs | null
  /** The account or its workspace no longer exists or is no longer paid for. */
  readonly deactivated: boolean
  /** Null while the login is accepted. */
  readonly loginLoss: LoginLoss | null
  /** Integer 0..100, 0 when blocked. */
  readonly score: number
  readonly scoreComponents: ScoreComponents
  readonly reclaim: ReclaimWindow | null
  /** Share of failed requests in the last 10 to 20 minutes, 0..1; null with too few requests. */
  readonly failureRatio: number | null
  readonly quotaClass: QuotaClass
  /** Seconds between two planned direct queries of the account; null if none are planned. */
  readonly sampleEverySeconds: number | null
  readonly lastSample: { readonly at: EpochMs; readonly origin: ReadingOrigin } | null
  readonly disabledProbe: DisabledProbe
  /** Left out unless the vendor has refused the account's queries for an hour. */
  readonly refusedQuery?: RefusedQuery
  /** False for the second and further files of one account. */
  readonly countedInCapacity: boolean
}

/** Models that an account cannot serve although it may be used for others. */
export interface BlockedModels {
  /** Scope of the used-up window, as in its id. */
  readonly scope: string
  /** The vendor's name for the scope; null if it has none. */
  readonly label: string | null
  /** Null if the vendor names none. */
  readonly models: readonly string[] | null
  /** Reset of the window; null if unknown. */
  readonly until: EpochMs | null
  readonly reason: `quota_exhausted_${string}`
}

/** Paid use beyond the plan: without it the plan's models can still be used. */
const EXTRA_USAGE = 'extra_usage'

/** The models whose window of another scope is used up. */
export function blockedModelsOf({
  scopedWindows,
}: Pick<EvaluatedAccount, 'scopedWindows'>): readonly BlockedModels[] {
  return scopedWindows.flatMap((window) => {
    const scope = window.id.slice(0, window.id.lastIndexOf(':'))
    if (window.state !== 'exhausted' || scope === EXTRA_USAGE) return []
    const { label = null, models = null, resetAt: until } = window
    return [{ scope, label, models, until, reason: `quota_exhausted_${window.id}` as const }]
  })
}
