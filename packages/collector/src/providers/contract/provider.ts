import type { EpochMs, ProviderId, QuotaSample } from '@svc/core'
import {
  providerRowOf,
  type SourceFailureCode,
  type StatusMessage,
  type VerdictMessage,
} from '@svc/core/service'
import { recordIn } from '../../wire/wire-fields.ts'

/** Default limits for queries of a vendor without known stricter limits. `changes`: differing fields of its budget. */
export function usualPoliteness(
  id: ProviderId,
  changes: Partial<QueryBudget> = {},
): QueryPoliteness & { readonly budget: QueryBudget } {
  return {
    // The proxy itself gives up after 60 s and reports it.
    seconds: 65,
    answerBytesMax: 256 * 1024,
    budget: {
      perAccountSeconds: providerRowOf(id).queriesApartSeconds,
      apartSeconds: 0,
      pause: { firstSeconds: 600, longestSeconds: 7200 },
      blockedPauses: false,
      revokedStops: false,
      ...changes,
    },
  }
}

/** Result of one direct query of an account's quota. */
export type ProbeResult =
  | { readonly kind: 'sample'; readonly sample: QuotaSample }
  /**
   * The vendor refused the login. `revoked`: the vendor's words say that it is permanent; absent if the login may only be expired. `ended`: the
   * account or its plan has ended.
   */
  | {
      readonly kind: 'auth'
      readonly httpStatus: number
      readonly revoked?: boolean
      readonly ended?: boolean
    }
  /** The vendor answered with a challenge page; this says nothing about the account. */
  | { readonly kind: 'blocked'; readonly httpStatus: number }
  /** The vendor does not offer its quota to this login. The account is not at fault, and another query is not worthwhile. */
  | { readonly kind: 'unavailable'; readonly httpStatus: number }
  | {
      readonly kind: 'throttled'
      readonly httpStatus: number
      readonly retryAfterSeconds: number | null
    }
  /** No usable answer. `httpStatus` is the vendor's status; null if the vendor did not answer. */
  | {
      readonly kind: 'failed'
      readonly code: SourceFailureCode
      readonly httpStatus: number | null
    }

/** The login behind an entry of the proxy's account list. */
export interface AccountIdentity {
  /** Workspace id required in a query, valid as a header; null when unknown. */
  readonly vendorAccountId: string | null
  /** Plan name inside the login token; null if the token names none. */
  readonly claimedPlan: string | null
  /** End of the paid plan according to the login token; null if the token names none. */
  readonly subscribedUntil: EpochMs | null
}

/** Credentials of a query. */
export interface VendorLogin {
  /** The access token, or a placeholder that the proxy replaces with the token. */
  readonly bearer: string
  readonly vendorAccountId: string | null
}

/** A login from an auth file. */
export interface StoredLogin extends VendorLogin {
  readonly disabled: boolean
}

/** Reads the token in an auth file of this type; null for any other file. The token is only ever sent, never renewed. */
export function tokenLoginIn(
  file: unknown,
  type: ProviderId,
  token = /^[\x21-\x7e]+$/,
): StoredLogin | null {
  const { access_token: bearer, type: own, disabled = false } = recordIn(file)
  if (own !== type || typeof disabled !== 'boolean') return null
  if (typeof bearer !== 'string' || !token.test(bearer)) return null
  return { bearer, vendorAccountId: null, disabled }
}

/** Identity of an account of which the list tells none. */
export const NO_IDENTITY: AccountIdentity = {
  vendorAccountId: null,
  claimedPlan: null,
  subscribedUntil: null,
}

/** A request for the quota of one account: a POST if it has a body, else a GET. */
export interface QuotaRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Limits of this request where they are stricter than those of the vendor. */
  readonly limits?: { readonly seconds: number; readonly answerBytesMax: number }
}

/** The plan of an account whose quota answer does not name it. */
export interface PlanReading {
  /** The vendor's name of the plan; null if the answer has none. */
  readonly plan: string | null
  /** Identity at the vendor, as in `QuotaSample`; null if the answer has none. */
  readonly vendorIdentity: string | null
}

/** A second query, for the plan alone. Its failure never fails the quota. */
export interface PlanQuery {
  /** Least time between two plan queries for one account. */
  readonly everySeconds: number
  request(login: VendorLogin): QuotaRequest
  /** Reads the answer; null if it names neither plan nor identity. */
  planOf(answer: VendorAnswer): PlanReading | null
}

/** A query for the single banked resets of an account. Its failure never fails the quota. */
export interface BankedListRequest {
  request(login: VendorLogin): QuotaRequest
  /** Expiries of the resets that can be spent, soonest first; null for anything but a list of them. */
  expiriesOf(answer: VendorAnswer): readonly EpochMs[] | null
}

/** An answer of the vendor, over either transport. */
export interface VendorAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: string
  readonly receivedAt: EpochMs
}

/** A client's failed request, as recorded by the proxy. */
export interface VendorFailure {
  readonly httpStatus: number
  readonly body: string
  /** Headers of the answer as recorded; absent or undefined if none were recorded. */
  readonly headers?: unknown
}

/** Pause of all queries of one vendor after a refusal; it doubles with each further refusal. */
export interface VendorPause {
  readonly firstSeconds: number
  readonly longestSeconds: number
}

/** Highest frequency of queries of a vendor, across all proxies, monitors and restarts. */
export interface QueryBudget {
  /** Least time between two queries of one account. */
  readonly perAccountSeconds: number
  /** Least time between the ends of two queries of any accounts, which are then sent one at a time; 0 for no such limit. */
  readonly apartSeconds: number
  /** Pause after a throttle (429). */
  readonly pause: VendorPause
  /** True if a challenge page pauses all queries as a throttle does. */
  readonly blockedPauses: boolean
  /** True if a permanent block of one account by the vendor ends all queries until a restart. */
  readonly revokedStops: boolean
  /** Pause for an account to which the vendor offers no quota; absent for a day, or until its auth file is rewritten. */
  readonly unavailableSeconds?: number
}

/** Limits of every query of a vendor. The schedule in core decides how often it is queried. */
interface QueryPoliteness {
  /** Longest wait for an answer. */
  readonly seconds: number
  readonly answerBytesMax: number
  /** Null if only the schedule limits the frequency. */
  readonly budget: QueryBudget | null
}

/** The fields of a vendor that set the pace of its queries. */
export type AskedVendor = Pick<
  Provider,
  'id' | 'endpoint' | 'politeness' | 'planQuery' | 'bankedList'
>

/** Everything specific to one vendor. No other module knows its addresses, headers and fields. */
export interface Provider {
  /** The provider's name in the proxy's account list and in the `type` of an auth file. Core has a matching entry with its label and plans. */
  readonly id: ProviderId
  /** Name of the direct query in metrics. */
  readonly endpoint: string
  readonly politeness: QueryPoliteness
  /** Reads an entry of the proxy's account list. */
  identityOf(entry: unknown): AccountIdentity
  /** Reads the JSON of an auth file; null if it has no usable login. */
  loginOf(file: unknown): StoredLogin | null
  quotaRequest(login: VendorLogin): QuotaRequest
  /** Quota requests to the vendor's other addresses, sent in turn until one answers with quota; absent if there is only one address. */
  otherQuotaRequests?(login: VendorLogin): readonly QuotaRequest[]
  /** Absent if the quota answer names the plan. */
  readonly planQuery?: PlanQuery
  /** Absent if the vendor's accounts hold no resets to spend. */
  readonly bankedList?: BankedListRequest
  /** Reads the answer to a quota request: a sample with its windows, or the reason there is none. */
  windowsOf(answer: VendorAnswer): ProbeResult
  /** Reads the headers of any answer; null if they do not show this vendor's quota. */
  windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null
  /** Reads the quota shown in the body of a refused request; null if it shows none. Absent if this vendor's refusals never show quota. */
  windowsFromRefusal?(failure: VendorFailure, at: EpochMs): QuotaSample | null
  /** Reads the vendor's message as quoted by the proxy. `at`: the time it was written, null when unknown. */
  readStatusMessage(text: string, at: EpochMs | null): StatusMessage
  /** Reads the vendor's refusal of a failed request; null if the failure says nothing about the account. */
  refusalIn(failure: VendorFailure, at: EpochMs): VerdictMessage | null
}
