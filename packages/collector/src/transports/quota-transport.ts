import type { Account } from '@svc/core'
import type { SourceFailureCode } from '@svc/core/service'
import type { ProbeResult } from '../providers/contract/provider.ts'

/** A way to ask the vendor for one account's quota. */
export interface QuotaTransport {
  /** Name of the call in metrics and logs. */
  endpointOf(account: Account): string
  /** Whether queries may go out at all now. */
  ready(): boolean
  /** Why none will go out until somebody does something about it; null while they do or may soon. */
  refusal(): SourceFailureCode | null
  /** Whether this account can be asked for. */
  canQuery(account: Account): boolean
  /** Asks also about an account the operator has disabled, if `isDiagnostic`. Throws UpstreamError when the way to the vendor failed; `isHeld` tells when nothing was sent. */
  query(account: Account, stop: AbortSignal, isDiagnostic: boolean): Promise<ProbeResult>
}
