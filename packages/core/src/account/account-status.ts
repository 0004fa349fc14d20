import type { EpochMs } from '../facts/time.ts'

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
