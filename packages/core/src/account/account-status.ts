import type { AccountEvidence, ProbeFailure } from '../facts/account-evidence.ts'
import { type EpochMs, epochMs, HOUR_MS } from '../facts/time.ts'

/** Severity of a state. `unknown` is neither good nor bad. */
export type Tone = 'good' | 'warn' | 'bad' | 'unknown'

/** Name of an account's state. The displayed text is in the views package. */
export type AccountStatusKind =
  | 'active'
  | 'disabled'
  | 'auth_invalid'
  | 'deactivated'
  | 'unavailable'
  | 'reset_scheduled'
  | 'quota_hit'
  | 'retry_after'
  | 'cooldown'
  | 'ready_unproven'
  | 'degraded'
  | 'pending'
  | 'refreshing'
  | 'unknown_status'
  | 'message'

export interface AccountStatus {
  readonly kind: AccountStatusKind
  readonly tone: Tone
  /** Time the account is expected to be free again; null if it is free or the time is unknown. */
  readonly until: EpochMs | null
}

/** Cause of a lost login. `refused`: the vendor gave no reason. */
export type LoginLossCause =
  | 'expired'
  | 'invalidated'
  | 'refresh_refused'
  | 'deactivated'
  | 'refused'

/** A lost login, which only a human can restore. */
export interface LoginLoss {
  /** The account or its workspace no longer exists or is no longer paid for. */
  readonly deactivated: boolean
  readonly cause: LoginLossCause
  /** Time of the first sign; null if the login was not known to work in the hour before it, so that the time of the loss is unknown. */
  readonly lostAt: EpochMs | null
}

export interface LossSign {
  /** Error code of the sign; null for a refused query. */
  readonly code: string | null
  readonly deactivated: boolean
  /** Times at which the sign was seen; null for an unknown time. */
  readonly times: readonly (EpochMs | null)[]
}

const DATED_MS = HOUR_MS
const INVALIDATED = new Set(['token_invalidated', 'token_revoked', 'refresh_token_invalidated'])
/** Error codes of a refused token refresh. The proxy writes `unauthorized` itself. */
const REFRESH_REFUSED = /^(unauthorized|invalid_grant|refresh_token_.*)$/

/**
 * The login loss shown by these signs, which are sorted with the most decisive first; null without signs. `provenAt`: last time the login is known to
 * have worked.
 */
export function lossOf(signs: readonly LossSign[], provenAt: EpochMs | null): LoginLoss | null {
  const [first] = signs
  if (first === undefined) return null
  const { deactivated } = first
  const told = signs.map(causeOf).find((cause) => cause !== 'refused') ?? 'refused'
  return {
    deactivated,
    cause: deactivated ? 'deactivated' : told,
    lostAt: provenAt === null ? null : lostAtOf(signs, provenAt),
  }
}

function lostAtOf(signs: readonly LossSign[], provenAt: EpochMs): EpochMs | null {
  const times = signs.flatMap(({ times }) => times.filter((at) => at !== null && at >= provenAt))
  const lostAt = Math.min(...times.map(Number))
  return lostAt - provenAt <= DATED_MS ? epochMs(lostAt) : null
}

function causeOf({ code, deactivated }: LossSign): LoginLossCause {
  if (deactivated) return 'deactivated'
  if (code === 'refresh_token_expired') return 'expired'
  if (code !== null && INVALIDATED.has(code)) return 'invalidated'
  return code !== null && REFRESH_REFUSED.test(code) ? 'refresh_refused' : 'refused'
}

/** A series of queries of an account that its vendor refuses for an unknown reason. */
export interface RefusedQuery {
  /** HTTP status of the last refusal. */
  readonly httpStatus: number
  readonly since: EpochMs
}

/** Least time between first and last refusal for them to count. See docs/rules.md#refused-logins. */
const REPEATED_MS = HOUR_MS

/** The refused queries of an account if the refusals have lasted an hour; null otherwise. */
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
