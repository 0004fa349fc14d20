import type { AccountEvidence, ProbeFailure } from '../facts/account-evidence.ts'
import { type EpochMs, HOUR_MS } from '../facts/time.ts'

/** Queries of an account that its vendor keeps refusing for an unknown reason. */
export interface RefusedQuery {
  /** HTTP status of the last one. */
  readonly httpStatus: number
  readonly since: EpochMs
}

/** Time for which refusals must repeat before they count. See docs/rules.md#refused-logins. */
const REPEATED_MS = HOUR_MS

/** The refusals of an account's queries that have repeated for an hour; null if they have not. */
export function refusedQueryOf(evidence: AccountEvidence | null): RefusedQuery | null {
  const failure = evidence?.probeFailure ?? null
  if (failure === null || failure.httpStatus === null || !isUnknownRefusal(failure)) return null
  const { at, firstAt: since = at, httpStatus } = failure
  return at - since >= REPEATED_MS ? { httpStatus, since } : null
}

/** Whether a query was refused (4xx) for an unknown reason. */
export function isUnknownRefusal(failure: Pick<ProbeFailure, 'kind' | 'httpStatus'>): boolean {
  const { kind, httpStatus } = failure
  return kind === 'failed' && httpStatus !== null && httpStatus >= 400 && httpStatus < 500
}
