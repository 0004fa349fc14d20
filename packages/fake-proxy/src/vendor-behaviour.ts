/** The ways the vendor may treat an account, as far as they need no parameter. */
export const vendorBehaviours = [
  'quota',
  'token_invalidated',
  'deactivated_workspace',
  'cloudflare_challenge',
  'server_error',
  'network_dead',
  'malformed',
] as const

/** How the vendor treats one account; `quota` answers from the account's simulated quota. `slow` answers so after `delayMs`; from 60 s on the proxy gives up first. */
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
