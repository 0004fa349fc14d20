import { type AccountEvidence, allSamplesOf, type BankedResets } from '../facts/account-evidence.ts'
import { DAY_MS, type EpochMs, HOUR_MS } from '../facts/time.ts'
import type { EvaluatedAccount, KnownBankedResets } from './evaluated-account.ts'
import { newestSample } from './merge-evidence.ts'
import { staleAfterSeconds } from './quota-window.ts'

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

/** Tone of something that lapses at this time: amber for a week before, red on the last day; null earlier and afterwards. */
export function lapseTone(at: EpochMs, now: EpochMs): 'warn' | 'bad' | null {
  if (at <= now || at - now > SOON_MS) return null
  return at - now <= DAY_MS ? 'bad' : 'warn'
}

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
  const tone = lapseTone(until, now)
  if (tone === null) return 'running'
  return tone === 'bad' ? 'last_day' : 'ends_soon'
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

/** Time for which readings that do not tell the count leave the last one standing. */
export const BANKED_KEPT_MS = DAY_MS
/** Maximum number of expiries kept of an account. */
export const BANKED_EXPIRIES_MAX = 10

/** The banked resets of an account; null if the vendor told none, or not for a day of readings. See docs/rules.md#banked-resets. */
export function bankedResetsOf(
  evidence: AccountEvidence | null,
  now: EpochMs,
): KnownBankedResets | null {
  const { bankedResets, plannedIntervalSeconds = 0 } = evidence ?? {}
  if (bankedResets === undefined) return null
  const { count, sampledAt, isRemembered = false } = bankedResets
  const readAt = newestSample(allSamplesOf(evidence))?.sampledAt ?? sampledAt
  if (readAt - sampledAt > BANKED_KEPT_MS) return null
  const stale = isRemembered || now - sampledAt > staleAfterSeconds(plannedIntervalSeconds) * 1000
  return { count, sampledAt, expiresAt: expiriesToCome(bankedResets, now), stale }
}

/** The banked resets in an earlier process's evidence, for this process. */
export function rememberedResets({
  bankedResets,
}: AccountEvidence): Pick<AccountEvidence, 'bankedResets'> {
  return bankedResets === undefined ? {} : { bankedResets: { ...bankedResets, isRemembered: true } }
}

/** Time after which the list of an account's resets is asked for again. */
const LIST_AGAIN_MS = { answered: DAY_MS, failed: 6 * HOUR_MS, missing: DAY_MS } as const

/** Whether the vendor should be asked for the single resets. A count of 0 never asks. */
export function isBankedListDue({ count, listQuery }: BankedResets, now: EpochMs): boolean {
  if (count === 0 || listQuery === undefined) return count > 0
  const { askedAt, count: listed, outcome } = listQuery
  const isOutdated = outcome === 'answered' && listed !== count
  // A time after the present one comes from a clock that was wrong.
  return isOutdated || askedAt > now || now - askedAt >= LIST_AGAIN_MS[outcome]
}

/** Expiries to come; empty after a reset was spent, until the list is read again: any of them may have been that one. */
function expiriesToCome(
  { count, expiresAt, listQuery }: BankedResets,
  now: EpochMs,
): readonly EpochMs[] {
  const coming = expiresAt.filter((at) => at > now)
  const leftCount = (listQuery?.count ?? count) - (expiresAt.length - coming.length)
  return count < leftCount ? [] : coming.slice(0, Math.min(count, BANKED_EXPIRIES_MAX))
}
