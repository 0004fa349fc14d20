import type { EpochMs } from '../facts/time.ts'

/** How good a thing looks. `unknown` is neither good nor bad. */
export type Tone = 'good' | 'warn' | 'bad' | 'unknown'

/** What an account's state is called. The wording lives in views. */
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
  /** When the account is expected to be free again; null when it is free or nobody knows. */
  readonly until: EpochMs | null
}
