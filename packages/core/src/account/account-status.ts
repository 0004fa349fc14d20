import type { AccountEvidence, ProbeFailure } from '../facts/account-evidence.ts'
import { type EpochMs, epochMs, HOUR_MS } from '../facts/time.ts'

/** Rating of a state. `unknown` is neither good nor bad. */
export type Tone = 'good' | 'warn' | 'bad' | 'unknown'

/** Name of an account's state. The wording lives in views. */
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

/** The state of one account. */
export interface AccountStatus {
  readonly kind: AccountStatusKind
  readonly tone: Tone
  /** Time the account is expected to be free again; null if it is free or the time is unknown. */
  readonly until: EpochMs | null
}

/** Evidence of how a login was lost. `refused`: no reason was given. */
export type LoginLossCause =
  | 'expired'
  | 'invalidated'
  | 'refresh_refused'
  | 'deactivated'
  | 'refused'

/** A login that only a human can mend. */
export interface LoginLoss {
  /** The account or its workspace no longer exists or is no longer paid for. */
  readonly deactivated: boolean
  readonly cause: LoginLossCause
  /** Time of the first sign; null if the login was not proven within the hour before, because the time of the loss is then unknown. */
  readonly lostAt: EpochMs | null
}

export interface LossSign {
  /** Null for a refused query. */
  readonly code: string | null
  readonly deactivated: boolean
  /** Times at which it was seen; null for an unknown one. */
  readonly times: readonly (EpochMs | null)[]
}

const DATED_MS = HOUR_MS
const INVALIDATED = new Set(['token_invalidated', 'token_revoked', 'refresh_token_invalidated'])
/** The proxy writes `unauthorized` itself when a refresh is refused. */
const REFRESH_REFUSED = /^(unauthorized|invalid_grant|refresh_token_.*)$/

/** The loss that these signs show, the most decisive one first; null without any. `provenAt`: last time the login is known to have worked. */
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
