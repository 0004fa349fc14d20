import type { Account, AccountSelector } from '../facts/account.ts'
import type { DisabledProbe, QuotaClass } from '../facts/account-evidence.ts'
import type { PlanKind } from '../facts/plan.ts'
import type { ReadingOrigin } from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import type { PerWindow } from '../facts/window.ts'
import type { WindowQuota } from './account-quota.ts'
import type { AccountStatus } from './account-status.ts'
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
  /** Plus units; 0 when untracked, operator-disabled or deactivated. */
  readonly capacityWeight: number
  /** Those of `mainWindows` first, further limits of the account itself after them. */
  readonly windows: readonly QuotaWindow[]
  readonly quota: PerWindow<WindowQuota>
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
  /** How far apart two direct queries of it are planned now; null where none are. */
  readonly sampleEverySeconds: number | null
  readonly lastSample: { readonly at: EpochMs; readonly origin: ReadingOrigin } | null
  readonly disabledProbe: DisabledProbe
  /** False for the second and further files of one account. */
  readonly countedInCapacity: boolean
}
