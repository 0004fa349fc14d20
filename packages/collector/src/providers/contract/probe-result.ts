import type { Account, EpochMs, QuotaSample, SourceFailureCode } from '@svc/core'
import { retryAfterSecondsOf } from '../../wire/retry-after.ts'
import { codexQuotaSampleOf } from '../codex/answer.ts'

/** What one direct query of an account's quota brought. */
export type ProbeResult =
  | { readonly kind: 'sample'; readonly sample: QuotaSample }
  /** The vendor refused the login. */
  | { readonly kind: 'auth'; readonly httpStatus: number }
  /** The vendor refused us with a challenge page; it says nothing of the account. */
  | { readonly kind: 'blocked'; readonly httpStatus: number }
  | { readonly kind: 'throttled'; readonly httpStatus: number; readonly retryAfterSeconds: number | null }
  /** No usable answer. `httpStatus` is the vendor's, null when it did not answer. */
  | { readonly kind: 'failed'; readonly code: SourceFailureCode; readonly httpStatus: number | null }

/** A way to ask the vendor for one account's quota. */
export interface QuotaTransport {
  /** Name of the call in metrics and logs. */
  readonly endpoint: string
  /** Whether queries may go out at all now. */
  ready(): boolean
  /** Why none will go out until somebody does something about it; null while they do or may soon. */
  refusal(): SourceFailureCode | null
  /** Whether this account can be asked for. */
  canQuery(account: Account): boolean
  /** Asks also about an account the operator has disabled, if `isDiagnostic`. Throws UpstreamError when the way to the vendor failed; `isHeld` tells when nothing was sent. */
  query(account: Account, stop: AbortSignal, isDiagnostic: boolean): Promise<ProbeResult>
}

/** The one address that is ever queried. Source: decisions §8. */
export const CODEX_USAGE_URL = 'https://chatgpt.com/backend-api/wham/usage'
/** What the vendor's own client sends; the account header only when the id is known. Source: upstream contract 4.2. */
const USER_AGENT = 'codex_cli_rs/0.145.0'
/** The proxy gives up after 60 s. Source: upstream contract 4.1. */
export const QUERY_SECONDS = 65
/** Source: decisions §8. */
export const USAGE_BYTES_MAX = 256 * 1024

/** Headers of a query sent with this bearer text. */
export function codexUsageHeaders(bearer: string, vendorAccountId: string | null): Readonly<Record<string, string>> {
  return {
    Authorization: `Bearer ${bearer}`,
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    ...(vendorAccountId === null ? {} : { 'Chatgpt-Account-Id': vendorAccountId }),
  }
}

export interface VendorAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: string
  readonly receivedAt: EpochMs
}

/** What the vendor's answer means. Source: upstream contract 4.3, decisions §3. */
export function probeResultOf({ status: httpStatus, headers, body, receivedAt }: VendorAnswer): ProbeResult {
  if (httpStatus === 200) {
    const sample = sampleOf(body, receivedAt)
    return sample === null ? { kind: 'failed', code: 'bad_payload', httpStatus } : { kind: 'sample', sample }
  }
  if (headers.get('cf-mitigated') !== null || (httpStatus === 403 && isPage(headers, body))) return { kind: 'blocked', httpStatus }
  if (httpStatus === 401 || httpStatus === 402) return { kind: 'auth', httpStatus }
  if (httpStatus === 429) return { kind: 'throttled', httpStatus, retryAfterSeconds: retryAfterSecondsOf(headers, receivedAt) }
  return { kind: 'failed', code: httpStatus >= 500 ? 'server_error' : 'unexpected_status', httpStatus }
}

function sampleOf(body: string, receivedAt: EpochMs): QuotaSample | null {
  try {
    return codexQuotaSampleOf(JSON.parse(body), receivedAt)
  } catch {
    return null
  }
}

function isPage(headers: VendorAnswer['headers'], body: string): boolean {
  return /^text\/html/i.test(headers.get('content-type') ?? '') || body.trimStart().startsWith('<')
}
