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

/** The vendor's behaviour toward one account; `quota` answers from the simulated quota, `slow` after `delayMs` (60 s: the proxy gives up). */
export type VendorBehaviour =
  | (typeof vendorBehaviours)[number]
  | { readonly kind: 'throttled'; readonly retryAfter: string | null }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: string
    }
