import type { Account, AccountSelector } from '../account/account.ts'
import type { AccountStatus } from '../account/account-status.ts'
import type { PlanKind } from '../account/plan.ts'
import type { QuotaWindow, ReadingOrigin } from '../quota/quota-window.ts'
import type { ReclaimWindow } from '../reclaim/reclaim-window.ts'
import type { BlockedReason } from '../scoring/blocked-reasons.ts'
import type { ScoreComponents } from '../scoring/routing-score.ts'
import type { EpochMs } from '../time.ts'
import type { DisabledProbe, QuotaClass } from './observation.ts'

/** One account with everything the rules say about it. */
export interface EvaluatedAccount {
  readonly selector: AccountSelector
  /** Unique within the snapshot. */
  readonly title: string
  readonly account: Account
  readonly plan: PlanKind
  /** Plus units; 0 when untracked, operator-disabled or deactivated. */
  readonly capacityWeight: number
  /** `5h` and `week` first, further main windows after them. */
  readonly windows: readonly QuotaWindow[]
  /** Limits of another scope; never part of routing or capacity. */
  readonly scopedWindows: readonly QuotaWindow[]
  readonly status: AccountStatus
  /** Empty exactly when `routable`. */
  readonly blockedReasons: readonly BlockedReason[]
  readonly routable: boolean
  /** Until when the proxy or a usage limit holds the account back; null when neither does, or nobody knows. */
  readonly heldUntil: EpochMs | null
  /** The account or its workspace no longer exists or is no longer paid for. */
  readonly deactivated: boolean
  /** Integer 0..100, 0 when blocked. */
  readonly score: number
  readonly scoreComponents: ScoreComponents
  readonly reclaim: ReclaimWindow | null
  /** Share of failed requests in the last 10 to 20 minutes, 0..1; null with too few of them. */
  readonly failureRatio: number | null
  readonly quotaClass: QuotaClass
  readonly lastSample: { readonly at: EpochMs; readonly origin: ReadingOrigin } | null
  readonly disabledProbe: DisabledProbe
  /** False for the second and further files of one account. */
  readonly countedInCapacity: boolean
}
