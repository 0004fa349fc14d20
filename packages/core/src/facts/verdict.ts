import type { StatusMessage } from './status-message.ts'
import type { EpochMs } from './time.ts'

/** The message an account was refused with. `other`: a refusal the proxy had already forgotten when it was queried. */
export type VerdictMessage = Extract<
  StatusMessage,
  { readonly kind: 'auth_fault' | 'usage_limit' | 'quota' | 'other' }
>

/** The last refusal of an account. The proxy may no longer show it: any change of one auth file clears the messages of every account. */
export interface Verdict {
  /** `list`: the proxy's own message or its counts; `record`: a record of usage. */
  readonly origin: 'list' | 'record'
  /** Time of the refusal. */
  readonly at: EpochMs
  readonly message: VerdictMessage
  /** End of the wait that the proxy named; null without one. */
  readonly retryAt: EpochMs | null
  /** Consecutive refusals that named no time, each after the wait of the one before; at least 1. */
  readonly inARow: number
}
