import type { QuotaClass } from '@svc/core/service'
import type { UpstreamFailureCode } from '../proxy/upstream-error.ts'

/** Where the collector counts what it does. */
export interface CollectorReport {
  /** A call to `endpoint` failed. Calls that were held back are not counted, nor what failed on this machine. */
  upstreamError(endpoint: string, code: UpstreamFailureCode): void
  /** A direct quota query of an account of this class ended. */
  probe(quotaClass: QuotaClass, result: 'ok' | 'auth' | 'blocked' | 'throttled' | 'failed'): void
  /** A round of the account list ended after `seconds`; `held`: nothing was sent. */
  accountRefresh(result: 'ok' | 'failed' | 'held', seconds: number): void
}
