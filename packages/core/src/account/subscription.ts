import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import { type PlanKind, planKindOf } from '../facts/plan.ts'
import { ASSUMED_PROVIDER } from '../facts/provider.ts'
import { DAY_MS, type EpochMs } from '../facts/time.ts'
import type { EvaluatedAccount } from './evaluated-account.ts'
import { newestDirectSample, newestSample } from './merge-evidence.ts'

/** States of a subscription. `renewed`: it runs past the end named in the login, until an unknown time. */
export const subscriptionStates = ['running', 'ends_soon', 'last_day', 'ended', 'renewed'] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

/** The subscription named in an account's last login. */
export interface Subscription {
  readonly state: SubscriptionState
  readonly until: EpochMs
  /** Time this login was written; null if unknown. */
  readonly seenAt: EpochMs | null
}

const SOON_MS = 7 * DAY_MS

/** The subscription of an account; null if its login names no end. See docs/rules.md#subscription. */
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

/** A renewal does not rewrite the login, but the account's answers reveal it: without a subscription it answers as a free account. */
function isRenewed(
  { account, plan, deactivated, lastSample }: Parameters<typeof subscriptionOf>[0],
  until: EpochMs,
): boolean {
  if (deactivated || plan === 'free') return false
  // A status message may be an old one repeated by the proxy.
  const readAt = lastSample?.origin === 'status-message' ? null : lastSample?.at
  return [account.lastSuccessAt, readAt].some((at) => at != null && at > until)
}

/** The plan of an account: from the newest direct sample that names one, else from a query for the plan alone, else from its login token. */
export function planOf(account: Account, evidence: AccountEvidence | null): PlanKind {
  return planKindOf({ provider: account.provider, name: planNameOf(account, evidence) })
}

/** The vendor's name of the plan; null if there is none. */
export function planNameOf(account: Account, evidence: AccountEvidence | null): string | null {
  const named = allSamplesOf(evidence).filter(
    (sample) => sample.origin === 'direct' && sample.plan !== null,
  )
  return newestSample(named)?.plan ?? evidence?.vendorPlan?.plan ?? account.claimedPlan
}

/** Whether the plan of an account was never queried. Codex reports it with its quota, other vendors on request. */
export function isPlanUnasked({ provider }: Account, evidence: AccountEvidence | null): boolean {
  if (evidence?.vendorPlan !== undefined) return false
  return provider !== ASSUMED_PROVIDER || newestDirectSample(allSamplesOf(evidence)) === null
}
