import type { QuotaClass, SourceFailureCode } from '@svc/core'

/** Where the collector counts what it does. */
export interface CollectorReport {
  /** A call to `endpoint` failed; calls that were held back are not counted. */
  upstreamError(endpoint: string, code: SourceFailureCode): void
  /** A direct quota query of an account of this class ended. */
  probe(quotaClass: QuotaClass, result: 'ok' | 'auth' | 'blocked' | 'throttled' | 'failed'): void
  /** A round of the account list ended after `seconds`; `held`: nothing was sent. */
  accountRefresh(result: 'ok' | 'failed' | 'held', seconds: number): void
}
