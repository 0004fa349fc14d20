import type { ProviderId } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { UsageMember } from './usage.ts'
import type { UsageDetail } from './usage-detail.ts'

/**
 * One request of the history; its client is a label or a fingerprint. Null means unknown; a null `failure` can also mean that the request did not
 * fail.
 */
export interface UsageRequest
  extends Required<
    Pick<
      UsageDetail,
      'at' | 'model' | 'tokens' | 'failed' | 'failure' | 'classes' | 'latencyMs' | 'firstTokenMs'
    >
  > {
  readonly account: UsageMember
  readonly client: UsageMember
  readonly provider: ProviderId
  readonly upstream: UpstreamName
}

/** Position of a request in order of time, then of key: a signed 64-bit number, as text. */
export interface RequestPlace {
  readonly at: EpochMs
  readonly key: string
}

/** The newest `limit` requests from `from` on and before a position. */
export interface RequestsQuery {
  readonly from: EpochMs
  readonly before: RequestPlace
  readonly limit: number
}

/** Requests, newest first. */
export interface RequestsPage {
  readonly requests: readonly UsageRequest[]
  /** Position of the last request, before which the next page starts; null on the last page. */
  readonly next: RequestPlace | null
}

/** Position just before an instant: only older requests precede it. */
export function placeAt(at: EpochMs): RequestPlace {
  return { at, key: String(-(2n ** 63n)) }
}
