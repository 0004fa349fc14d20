import type { ProviderId } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { UsageMember } from './usage.ts'
import type { UsageDetail } from './usage-detail.ts'

/** One request of the history, its client by label or fingerprint. Null: unknown; `failure`: also that it did not fail. */
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

/** The place of a request among all, by time and then by key: a signed 64-bit number, as text. */
export interface RequestPlace {
  readonly at: EpochMs
  readonly key: string
}

/** Requests from `from` on that come before a place, the newest `limit` of them. */
export interface RequestsQuery {
  readonly from: EpochMs
  readonly before: RequestPlace
  readonly limit: number
}

/** Requests, newest first. */
export interface RequestsPage {
  readonly requests: readonly UsageRequest[]
  /** Place of the last one, before which the next page is; null if there is none. */
  readonly next: RequestPlace | null
}

/** The place of no request, before which everything older than an instant is. */
export function placeAt(at: EpochMs): RequestPlace {
  return { at, key: String(-(2n ** 63n)) }
}
