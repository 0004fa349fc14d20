import type { Account } from '@svc/core'
import type { SourceFailureCode } from '@svc/core/service'
import type { PlanReading, ProbeResult } from '../providers/contract/provider.ts'

/** The plan of an account, or the reason it is not known; null if the answer names none. */
export type PlanResult = PlanReading | ProbeResult | null

/** A way to query one account's quota at the vendor. */
export interface QuotaTransport {
  /** Name of the call in metrics and logs. */
  endpointOf(account: Account): string
  /** Whether queries may go out at all now. */
  ready(): boolean
  /** Reason why no query can go out until somebody intervenes; null while queries go out or may soon. */
  refusal(): SourceFailureCode | null
  /** Whether this account can be queried. */
  canQuery(account: Account): boolean
  /**
   * Queries one account; one disabled by the operator only if `isDiagnostic`. Throws UpstreamError if the connection to the vendor failed;
   * `isHeld` of that error is true if nothing was sent.
   */
  query(account: Account, stop: AbortSignal, isDiagnostic: boolean): Promise<ProbeResult>
  /** Asks for the plan of one enabled account. Throws like `query`. */
  queryPlan(account: Account, stop: AbortSignal): Promise<PlanResult>
}
