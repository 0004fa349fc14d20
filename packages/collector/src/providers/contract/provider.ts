import type { EpochMs, QuotaSample } from '@svc/core'
import type { KnownProviderId, SourceFailureCode, StatusMessage } from '@svc/core/service'

/** What one direct query of an account's quota brought. */
export type ProbeResult =
  | { readonly kind: 'sample'; readonly sample: QuotaSample }
  /** The vendor refused the login. */
  | { readonly kind: 'auth'; readonly httpStatus: number }
  /** The vendor refused us with a challenge page; it says nothing of the account. */
  | { readonly kind: 'blocked'; readonly httpStatus: number }
  | {
      readonly kind: 'throttled'
      readonly httpStatus: number
      readonly retryAfterSeconds: number | null
    }
  /** No usable answer. `httpStatus` is the vendor's, null when it did not answer. */
  | {
      readonly kind: 'failed'
      readonly code: SourceFailureCode
      readonly httpStatus: number | null
    }

/** What an entry of the proxy's account list says about the login behind it. */
export interface AccountIdentity {
  /** Workspace id the vendor wants in a query, fit to be a header; null when unknown. */
  readonly vendorAccountId: string | null
  /** Plan name inside the login token, null when it names none. */
  readonly claimedPlan: string | null
  /** Until when the login token says that the plan is paid for, null when it does not. */
  readonly subscribedUntil: EpochMs | null
}

/** What a query proves itself with. */
export interface VendorLogin {
  /** The access token, or what the proxy replaces by it. */
  readonly bearer: string
  readonly vendorAccountId: string | null
}

/** A login as an auth file holds it. */
export interface StoredLogin extends VendorLogin {
  readonly disabled: boolean
}

/** A GET that asks the vendor for the quota of one account. */
export interface QuotaRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** What the vendor answered, whichever way it came. */
export interface VendorAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: string
  readonly receivedAt: EpochMs
}

/** The limits that every query of a vendor keeps. How often it is asked follows from the schedule in core. */
export interface QueryPoliteness {
  /** Longest wait for an answer. */
  readonly seconds: number
  readonly answerBytesMax: number
}

/** All that is particular to one vendor. Nothing else knows its addresses, headers and fields. */
export interface Provider {
  /** As the proxy's account list and the `type` of an auth file name it; core has a row with its label and its plans. */
  readonly id: KnownProviderId
  /** Name of the query in metrics, where we ask the vendor ourselves. */
  readonly endpoint: string
  readonly politeness: QueryPoliteness
  /** Reads an entry of the proxy's account list. */
  identityOf(entry: unknown): AccountIdentity
  /** Reads the JSON of an auth file; null for none that can be used. */
  loginOf(file: unknown): StoredLogin | null
  quotaRequest(login: VendorLogin): QuotaRequest
  /** Reads the answer to a quota request: a sample with its windows, or why there is none. */
  windowsOf(answer: VendorAnswer): ProbeResult
  /** Reads the headers of any answer, null where they do not show this vendor's quota. */
  windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null
  /** Reads what the proxy quotes of the vendor. `at`: when it was written, null when unknown. */
  readStatusMessage(text: string, at: EpochMs | null): StatusMessage
}
