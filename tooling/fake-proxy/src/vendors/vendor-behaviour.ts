/** The vendor's behaviours toward an account that need no parameter. */
export const vendorBehaviours = [
  'quota',
  'token_invalidated',
  'deactivated_workspace',
  'cloudflare_challenge',
  'server_error',
  'network_dead',
  'malformed',
] as const

/**
 * Refusals seen at vendors other than Codex: a token that is expired until the proxy refreshes it, one revoked for good in words, one whose
 * scope does not cover quota, an account banned for its use, a used-up plan, clients refused for their pace alone, an unknown path, no answer
 * at all.
 */
export const vendorRefusals = [
  'token_expired',
  'token_revoked',
  'scope_missing',
  'terms_violated',
  'credits_exhausted',
  'clients_throttled',
  'not_found',
  'hanging',
] as const

/** The vendor's behaviour toward one account; `quota` answers from the simulated quota, `slow` after `delayMs` (60 s: the proxy gives up). */
export type VendorBehaviour =
  | (typeof vendorBehaviours)[number]
  | (typeof vendorRefusals)[number]
  | { readonly kind: 'throttled'; readonly retryAfter: string | null }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: string
    }

/** The page a vendor's edge sends instead of an answer. */
export const CHALLENGE_PAGE = '<html><title>Just a moment...</title></html>'
