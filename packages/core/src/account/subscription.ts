import type { EpochMs } from '../facts/time.ts'
import type { EvaluatedAccount } from './evaluated-account.ts'

/** How a subscription stands: `renewed` is one that goes on past the end its login names, nobody knows until when. */
export const subscriptionStates = ['running', 'ends_soon', 'last_day', 'ended', 'renewed'] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

/** What is paid for, as the last login said. */
export interface Subscription {
  readonly state: SubscriptionState
  readonly until: EpochMs
  /** When the login was written that says so; null when unknown. */
  readonly seenAt: EpochMs | null
}

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS

/** How the subscription of an account stands; null where its login names no end. See docs/rules.md#subscription. */
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

/** A login is not written anew when the vendor renews; what the account still answers shows it. Without a subscription it answers as a free one. */
function isRenewed(
  { account, plan, deactivated, lastSample }: Parameters<typeof subscriptionOf>[0],
  until: EpochMs,
): boolean {
  if (deactivated || plan === 'free') return false
  // A message of the proxy may be an old one that it repeats.
  const readAt = lastSample?.origin === 'status-message' ? null : lastSample?.at
  return [account.lastSuccessAt, readAt].some((at) => at != null && at > until)
}
