import type { StatusMessage } from './status-message.ts'
import type { EpochMs } from './time.ts'

/** The message of a refusal. `other`: a refusal the proxy had already forgotten when it was queried. */
export type VerdictMessage = Extract<
  StatusMessage,
  { readonly kind: 'auth_fault' | 'usage_limit' | 'quota' | 'other' }
>

/** The last refusal of an account. The proxy may no longer show it: any change of one auth file clears the messages of every account. */
export interface Verdict {
  /** `list`: the proxy's own message or its counts; `record`: a record of usage. */
  readonly origin: 'list' | 'record'
  readonly at: EpochMs
  /** Time of the first of several refusals of a login, without a success in between; left out: `at`. */
  readonly firstAt?: EpochMs
  readonly message: VerdictMessage
  /** End of the wait named by the proxy; null if it named none. */
  readonly retryAt: EpochMs | null
  /** Refusals in a row that named no time, each after the end of the previous wait; at least 1. */
  readonly inARow: number
}
