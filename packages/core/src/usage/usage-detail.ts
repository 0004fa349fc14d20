import { ASSUMED_PROVIDER, type ProviderId } from '../facts/provider.ts'
import type { EpochMs, Interval } from '../facts/time.ts'
import type { FailureCause } from './failure-cause.ts'
import type { ServiceTier } from './rate.ts'
import type { FailureClass, TokenClasses } from './usage-counts.ts'

/** One request as the proxy recorded it. */
export interface UsageDetail {
  /** Start of the request, by the proxy's clock. */
  readonly at: EpochMs
  /** Distinguishes the request from all others of the same millisecond, and never changes. Signed, 64 bits. */
  readonly key: bigint
  /** Key of the account, or `other:<provider>` if the account is not listed. */
  readonly accountKey: string
  /** The client key or endpoint under which the proxy counts the request. */
  readonly apiName: string
  readonly model: string
  /** Whole, >= 0. */
  readonly tokens: number
  readonly failed: boolean
  /** Class of the failure; null or left out if it did not fail, or the record has no status code. */
  readonly failure?: FailureClass | null
  /** Reason of the failure; null or left out if it did not fail, or the record comes from another program. */
  readonly cause?: FailureCause | null
  /** Tier by which it is priced; null or left out for the standard one. */
  readonly tier?: ServiceTier | null
  /** The vendor, by the proxy's name; null or left out if the record names none. */
  readonly provider?: string | null
  /** Tokens by class, which add up to `tokens`; null or left out if the record has none or contradicts itself. */
  readonly classes?: TokenClasses | null
  /** Milliseconds until the end of the answer; null or left out if the record has no time. */
  readonly latencyMs?: number | null
  /** Milliseconds until the first token; null or left out if the record has no time, or no token came. */
  readonly firstTokenMs?: number | null
}

/** A record that cannot be kept: the reason and its shape, without any of its values. */
export interface QuarantinedRecord {
  readonly reason: 'no_timestamp' | 'bad_timestamp' | 'bad_tokens' | 'bad_shape' | 'bad_name'
  /** Names and types of its fields. */
  readonly shape: string
}

/** One decoded answer of the proxy. */
export interface UsageBatch {
  readonly receivedAt: EpochMs
  /** A time that has certainly passed; separates old sums from new ones. Default: `receivedAt`. */
  readonly certainAt?: EpochMs
  readonly details: readonly UsageDetail[]
  readonly quarantined: readonly QuarantinedRecord[]
  /** Number of details whose token count was capped at the largest exact number. */
  readonly saturatedCount: number
}

/** Outcome of the records of a batch: seen = stored + duplicate + quarantined + expired. */
export interface UsageTally {
  readonly seen: number
  readonly stored: number
  readonly duplicate: number
  readonly quarantined: number
  /** Records older than the retention. */
  readonly expired: number
}

/** An interval in which requests may have been missed. */
export interface UsageGap extends Interval {
  readonly reason:
    | 'retention_exceeded'
    | 'batch_lost'
    | 'proxy_restarted'
    | 'stopped_before_commit'
    | 'not_handed_to_us'
    | 'subscriber_lost'
    | 'network'
}

/** Prefix of the account key of a request that belongs to no listed account; followed by its provider. */
export const OTHER_ACCOUNT = 'other:'

/** The vendor of an account; undefined for one that is not in `listed`, which has vendors by account key. */
export function providerOfAccount(
  accountKey: string,
  listed: ReadonlyMap<string, ProviderId> | undefined,
): ProviderId | undefined {
  return accountKey.startsWith(OTHER_ACCOUNT)
    ? accountKey.slice(OTHER_ACCOUNT.length)
    : listed?.get(accountKey)
}

/** The vendor of a request. If the record names none, a listed account gets the one provider that was watched at that time. */
export function providerOfUsage({
  provider,
  accountKey,
}: Pick<UsageDetail, 'provider' | 'accountKey'>): ProviderId {
  return provider ?? providerOfAccount(accountKey, undefined) ?? ASSUMED_PROVIDER
}
