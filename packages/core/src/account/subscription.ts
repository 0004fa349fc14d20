import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import { type PlanKind, planKindOf } from '../facts/plan.ts'
import { ASSUMED_PROVIDER } from '../facts/provider.ts'
import { DAY_MS, type EpochMs } from '../facts/time.ts'
import type { EvaluatedAccount } from './evaluated-account.ts'
import { newestDirectSample, newestSample } from './merge-evidence.ts'

/** States of a subscription. `renewed`: it continues past the end stated in the login token, until an unknown time. */
export const subscriptionStates = ['running', 'ends_soon', 'last_day', 'ended', 'renewed'] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

/** The subscription as stated in an account's last login. */
export interface Subscription {
  readonly state: SubscriptionState
  readonly until: EpochMs
  /** Time the login was written; null if unknown. */
  readonly seenAt: EpochMs | null
}

const SOON_MS = 7 * DAY_MS

/** The subscription of an account; null if its login states no end. See docs/rules.md#subscription. */
export function subscriptionOf(
  evaluated: Pick<EvaluatedAccount, 'account' | 'plan' | 'deactivated' | 'lastSample'>,
  now: EpochMs,
): Subscription | null {
  const { subscribedUntil: until, modifiedAt: seenAt } = evaluated.account
  if (until === null) return null
  return { state: stateOf(evaluated, until, now), until, seenAt }
}

function stateOf(
  evaluated: Parameters<typeof subscriptionOf>[0],
  until: EpochMs,
  now: EpochMs,
): SubscriptionState {
  if (until <= now) return isRenewed(evaluated, until) ? 'renewed' : 'ended'
  if (until - now <= DAY_MS) return 'last_day'
  return until - now <= SOON_MS ? 'ends_soon' : 'running'
}

/** Whether the subscription was renewed. A renewal does not rewrite the login, but the vendor reports an account without a subscription as free. */
function isRenewed(
  { account, plan, deactivated, lastSample }: Parameters<typeof subscriptionOf>[0],
  until: EpochMs,
): boolean {
  if (deactivated || plan === 'free') return false
  // A status message may be an old one repeated by the proxy.
  const readAt = lastSample?.origin === 'status-message' ? null : lastSample?.at
  return [account.lastSuccessAt, readAt].some((at) => at != null && at > until)
}

/** The plan of an account: from the newest direct sample that states one, else from a query for the plan alone, else from its login token. */
export function planOf(account: Account, evidence: AccountEvidence | null): PlanKind {
  return planKindOf({ provider: account.provider, name: planNameOf(account, evidence) })
}

/** The vendor's name for the plan; null if unknown. */
export function planNameOf(account: Account, evidence: AccountEvidence | null): string | null {
  const named = allSamplesOf(evidence).filter(
    (sample) => sample.origin === 'direct' && sample.plan !== null,
  )
  return newestSample(named)?.plan ?? evidence?.vendorPlan?.plan ?? account.claimedPlan
}

/** Whether the vendor was never asked for the account's plan. Codex reports the plan with the quota, other vendors only in a separate query. */
export function isPlanUnasked({ provider }: Account, evidence: AccountEvidence | null): boolean {
  if (evidence?.vendorPlan !== undefined) return false
  return provider !== ASSUMED_PROVIDER || newestDirectSample(allSamplesOf(evidence)) === null
}
