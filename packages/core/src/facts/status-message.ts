import { type EpochMs, epochMs, plusMs } from './time.ts'

/** The proxy's status message, reduced to the facts that rules use. The text is not kept, because it may contain anything. */
export type StatusMessage =
  | { readonly kind: 'none' }
  /** The login is unusable until an operator logs in again. */
  | {
      readonly kind: 'auth_fault'
      readonly code: string
      readonly deactivated: boolean
      /** True for a refusal that an expired token also causes, so that a second one after some time is needed as proof; false if omitted. */
      readonly suspected?: boolean
    }
  | {
      readonly kind: 'usage_limit'
      readonly resetsAt: EpochMs
      readonly observedAt: EpochMs | null
    }
  /** A used-up limit without a reset time. `planUsedUp`: the plan's own allowance, rather than a temporary limit; false if omitted. */
  | { readonly kind: 'quota'; readonly planUsedUp?: boolean }
  /** A page that refuses our address rather than the account. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'other' }

const NONE: StatusMessage = { kind: 'none' }
const QUOTA: StatusMessage = { kind: 'quota' }
const BLOCKED: StatusMessage = { kind: 'blocked' }
const OTHER: StatusMessage = { kind: 'other' }

/**
 * Login faults that do not disappear by waiting. `token_expired` is not included, because the proxy refreshes such a token. See
 * docs/rules.md#account-status.
 */
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

/** The proxy's own words for a used-up quota, also used after a restart. See docs/upstream.md#account-state. */
const QUOTA_WORDS = new Set(['quota', 'quota exhausted', 'insufficient_quota', 'quota_exceeded'])
const BLOCKED_WORDS = new Set(['cloudflare challenge'])

/** Longest message that is read. A longer one is a quoted document rather than a code. */
const MESSAGE_LENGTH_MAX = 64 * 1024

/** Smallest number that is a Unix time in milliseconds rather than seconds. See docs/upstream.md#codex-quota. */
const UNIX_MS_MIN = 1e11
/** Largest accepted Unix time in milliseconds (year 5138). A later time is not a real reset, and a much later one is not a valid date. */
const UNIX_MS_MAX = 1e14

/**
 * Parses a status message. A code counts as a field of a JSON body or as the whole of a short message, not inside prose or a page. `at` is the time
 * of the message, for limits that state only a duration.
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

/** The message of a refusal. `other`: a refusal that the proxy had already forgotten when it was read. */
export type VerdictMessage = Extract<
  StatusMessage,
  { readonly kind: 'auth_fault' | 'usage_limit' | 'quota' | 'other' }
>

/** The last refusal of an account. The proxy may no longer show it, because any change of one auth file clears the messages of all accounts. */
export interface Verdict {
  /** `list`: the message or counts in the proxy's account list; `record`: a usage record. */
  readonly origin: 'list' | 'record'
  readonly at: EpochMs
  /** Time of the first of several login refusals without a success in between; equals `at` if omitted. */
  readonly firstAt?: EpochMs
  readonly message: VerdictMessage
  /** End of the wait stated by the proxy; null if it stated none. */
  readonly retryAt: EpochMs | null
  /** Consecutive refusals without a stated time, each after the end of the previous wait; at least 1. */
  readonly inARow: number
}
