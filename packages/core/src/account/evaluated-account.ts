import type { Account, AccountSelector } from '../facts/account.ts'
import type { BankedResets, DisabledProbe, QuotaClass } from '../facts/account-evidence.ts'
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

/** One account with the results of all rules. */
export interface EvaluatedAccount {
  readonly selector: AccountSelector
  /** Unique within the snapshot. */
  readonly title: string
  readonly account: Account
  readonly plan: PlanKind
  /** The vendor's name for the plan; omitted or null if unknown. */
  readonly planName?: string | null
  /** The usual plan of its pool, used for the score until the vendor was asked for the account's own plan; omitted if the score uses `plan`. */
  readonly scoredPlan?: PlanKind
  /** True if the plan is unknown because the vendor was not asked for it yet; omitted otherwise. */
  readonly planUnasked?: true
  /** Size of a full window in units of the provider; 0 if untracked, operator-disabled or deactivated. */
  readonly capacityWeight: number
  /** Main windows first, in the order of `mainWindows`, then further limits of the account itself. */
  readonly windows: readonly QuotaWindow[]
  readonly quota: PerWindow<WindowQuota>
  /** Limits of a narrower scope, such as one model; never part of routing or capacity. */
  readonly scopedWindows: readonly QuotaWindow[]
  /** Unknown names in the account's samples; omitted if none. */
  readonly unknownNames?: readonly string[]
  readonly status: AccountStatus
  /** Empty exactly when `routable`. */
  readonly blockedReasons: readonly BlockedReason[]
  readonly routable: boolean
  /** Time until which the proxy or a usage limit blocks the account; null if neither does, or the time is unknown. */
  readonly heldUntil: EpochMs | null
  /** End of the wait after a refusal that stated no time; null if the account is not waiting, or the time is unknown. */
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
  /** Omitted unless the vendor has refused the account's queries for an hour. */
  readonly refusedQuery?: RefusedQuery
  /** Resets that the account's owner may spend, from the newest reading through any file; omitted if unknown. */
  readonly bankedResets?: KnownBankedResets
  /** False for every file of an account except its first. */
  readonly countedInCapacity: boolean
}

/** Resets that the owner of an account may spend, as of an evaluation. */
export interface KnownBankedResets extends Pick<BankedResets, 'count' | 'sampledAt'> {
  /** Known expiries to come, soonest first, at most 10; empty if unknown. */
  readonly expiresAt: readonly EpochMs[]
  /** True if the count is older than the account's query interval allows. */
  readonly stale: boolean
}

/** Models that an account cannot serve, although it may be used for others. */
export interface BlockedModels {
  /** Scope of the used-up window, as it appears in the window's id. */
  readonly scope: string
  /** The vendor's name for the scope; null if it has none. */
  readonly label: string | null
  /** Null if the vendor does not list them. */
  readonly models: readonly string[] | null
  /** Reset of the window; null if unknown. */
  readonly until: EpochMs | null
  readonly reason: `quota_exhausted_${string}`
}

/** Scope of paid use beyond the plan. Without it the plan's models can still be used. */
const EXTRA_USAGE = 'extra_usage'

/** The models whose own window is used up. */
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
