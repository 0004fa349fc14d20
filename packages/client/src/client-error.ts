/** Why a call has no answer: nobody answers, not in time, the service refuses, or something else answers. */
export type ClientErrorCode = 'unreachable' | 'timeout' | 'refused' | 'not_a_monitor'

interface Refusal {
  /** HTTP status. */
  readonly status: number
  /** Stable slug of the error, as `unknown_account`; null if the answer names none. */
  readonly slug: string | null
  /** Values that the refused parameter takes; empty if it has no list. */
  readonly allowed: readonly string[]
  /** Wait asked for by `Retry-After`; null if none is. */
  readonly retryAfterSeconds: number | null
}

/** A call without an answer. `refusal` is null unless the code is `refused`. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  readonly refusal: Refusal | null

  constructor(code: ClientErrorCode, message: string, refusal: Refusal | null = null) {
    super(message)
    this.code = code
    this.refusal = refusal
  }
}
