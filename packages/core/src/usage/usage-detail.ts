import type { EpochMs } from '../facts/time.ts'
import type { TokenClasses } from './token-classes.ts'

/** One request as the proxy recorded it. */
export interface UsageDetail {
  /** When the request began, by the proxy's clock. */
  readonly at: EpochMs
  /** Tells it from every other request of that millisecond; the same however often it is seen. Signed, 64 bits. */
  readonly key: bigint
  /** Key of the account, or `other:<provider>` where it is none of the listed ones. */
  readonly accountKey: string
  /** The client key or endpoint the proxy counts it under. */
  readonly apiName: string
  readonly model: string
  /** Whole, >= 0. */
  readonly tokens: number
  readonly failed: boolean
  /** The vendor, as the proxy names it; null or left out where the record does not say. */
  readonly provider?: string | null
  /** They add up to `tokens`; null or left out where the record does not say, or contradicts itself. */
  readonly classes?: TokenClasses | null
  /** Milliseconds until the answer had ended; null or left out where the record does not say. */
  readonly latencyMs?: number | null
  /** Milliseconds until the first token; null or left out where the record does not say, or none came. */
  readonly firstTokenMs?: number | null
}

/** A record that cannot be kept: why, and what it looked like, without any of its values. */
export interface QuarantinedRecord {
  readonly reason: 'no_timestamp' | 'bad_timestamp' | 'bad_tokens' | 'bad_shape' | 'bad_name'
  /** Names and types of its fields. */
  readonly shape: string
}

/** What one answer of the proxy held, decoded. */
export interface UsageBatch {
  readonly receivedAt: EpochMs
  /** A time that has certainly passed; it separates old sums from new ones; `receivedAt` when left out. */
  readonly certainAt?: EpochMs
  readonly details: readonly UsageDetail[]
  readonly quarantined: readonly QuarantinedRecord[]
  /** Details whose tokens were more than a number can hold exactly, kept as the largest that can. */
  readonly saturatedCount: number
}

/** What became of the records of a batch: seen = stored + duplicate + quarantined + expired. */
export interface UsageTally {
  readonly seen: number
  readonly stored: number
  readonly duplicate: number
  readonly quarantined: number
  /** Older than the history reaches back. */
  readonly expired: number
}

/** A stretch of time in which requests may have been missed. */
export interface UsageGap {
  readonly from: EpochMs
  readonly to: EpochMs
  readonly reason:
    | 'retention_exceeded'
    | 'batch_lost'
    | 'proxy_restarted'
    | 'stopped_before_commit'
    | 'not_handed_to_us'
}
