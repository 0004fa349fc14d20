import { type EpochMs, epochMs, plusMs } from './time.ts'

/** The proxy's status message, reduced to the parts that rules use. Its text is not kept, because it may quote anything. */
export type StatusMessage =
  | { readonly kind: 'none' }
  /** The login is unusable until an operator logs in again. */
  | {
      readonly kind: 'auth_fault'
      readonly code: string
      readonly deactivated: boolean
      /** True for a refusal that an expired token has as well: it takes two of them, with time in between. Left out: false. */
      readonly suspected?: boolean
    }
  | {
      readonly kind: 'usage_limit'
      readonly resetsAt: EpochMs
      readonly observedAt: EpochMs | null
    }
  /** A used-up limit without a time. `planUsedUp`: the plan's own allowance, not a limit of the moment; left out: false. */
  | { readonly kind: 'quota'; readonly planUsedUp?: boolean }
  /** A page that refuses our address, not the account. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'other' }

const NONE: StatusMessage = { kind: 'none' }
const QUOTA: StatusMessage = { kind: 'quota' }
const BLOCKED: StatusMessage = { kind: 'blocked' }
const OTHER: StatusMessage = { kind: 'other' }

/** Faults that waiting does not cure. `token_expired` is not among them: the proxy refreshes such a token. See docs/rules.md#account-status. */
const AUTH_FAULT_CODES = new Set([
  'unauthorized',
  'invalid_grant',
  'authentication_error',
  'auth_unavailable',
  'token_invalidated',
  'token_revoked',
])
const DEACTIVATION_CODES = new Set([
  'account_deactivated',
  'deactivated_workspace',
  'payment_required',
])
const REFRESH_TOKEN_CODE = /^refresh_token_[a-z_]{1,32}$/

/** Words the proxy writes itself for a used-up quota, also after a restart. See docs/upstream.md#account-state. */
const QUOTA_WORDS = new Set(['quota', 'quota exhausted', 'insufficient_quota', 'quota_exceeded'])
const BLOCKED_WORDS = new Set(['cloudflare challenge'])

/** A longer message is a quoted document rather than a code. */
const MESSAGE_LENGTH_MAX = 64 * 1024

/** Unix times from here on are milliseconds. See docs/upstream.md#codex-quota. */
const UNIX_MS_MIN = 1e11
/** The year 5138: a later time is not a real reset, and much later ones are not even valid dates. */
const UNIX_MS_MAX = 1e14

/**
 * Reads a status message. A code counts as a field of a JSON body or as the whole of a short message, never as part
 * of prose or of a page. `at` is the time the message was written, for limits that only give a duration.
 */
export function readStatusMessage(text: string, at: EpochMs | null): StatusMessage {
  const trimmed = text.trim()
  if (trimmed === '') return NONE
  if (trimmed.length > MESSAGE_LENGTH_MAX) return OTHER
  if (trimmed.startsWith('<')) return BLOCKED

  const fields = errorFieldsOf(trimmed)
  if (fields === null) return ofCode(trimmed.toLowerCase()) ?? OTHER

  for (const code of fields.codes) {
    if (code === 'usage_limit_reached') return usageLimitOf(fields, at)
    const message = ofCode(code)
    if (message !== null) return message
  }
  return OTHER
}

function ofCode(code: string): StatusMessage | null {
  if (DEACTIVATION_CODES.has(code)) return { kind: 'auth_fault', code, deactivated: true }
  if (AUTH_FAULT_CODES.has(code) || REFRESH_TOKEN_CODE.test(code))
    return { kind: 'auth_fault', code, deactivated: false }
  if (QUOTA_WORDS.has(code)) return QUOTA
  if (BLOCKED_WORDS.has(code)) return BLOCKED
  return null
}

interface ErrorFields {
  readonly codes: readonly string[]
  readonly resetsAt: number | null
  readonly resetsInSeconds: number | null
}

function errorFieldsOf(text: string): ErrorFields | null {
  if (!text.startsWith('{')) return null
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  const root = asObject(body)
  if (root === null) return null

  // The vendor nests under `error` or `detail`; a token endpoint puts the code straight into `error`.
  const places = [asObject(root.error), asObject(root.detail), root].filter(
    (place) => place !== null,
  )
  const codes = places.flatMap((place) => [place.code, place.type, place.error, place.detail])
  return {
    codes: codes.filter((code) => typeof code === 'string').map((code) => code.toLowerCase()),
    resetsAt: firstNumber(
      places.map((place) => place.resets_at),
      UNIX_MS_MAX,
    ),
    resetsInSeconds: firstNumber(
      places.map((place) => place.resets_in_seconds),
      UNIX_MS_MAX / 1000,
    ),
  }
}

function usageLimitOf(fields: ErrorFields, at: EpochMs | null): StatusMessage {
  const lengthMs = fields.resetsInSeconds === null ? null : fields.resetsInSeconds * 1000
  if (fields.resetsAt !== null) {
    const resetsAt = epochMs(
      fields.resetsAt >= UNIX_MS_MIN ? fields.resetsAt : fields.resetsAt * 1000,
    )
    return {
      kind: 'usage_limit',
      resetsAt,
      observedAt: lengthMs === null ? at : plusMs(resetsAt, -lengthMs),
    }
  }
  if (lengthMs !== null && at !== null)
    return { kind: 'usage_limit', resetsAt: plusMs(at, lengthMs), observedAt: at }
  return QUOTA
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

function firstNumber(values: readonly unknown[], max: number): number | null {
  const found = values.find((value) => typeof value === 'number' && value > 0 && value <= max)
  return typeof found === 'number' ? found : null
}

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
