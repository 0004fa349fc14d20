import type { EpochMs } from '@svc/core'
import type { FakeWindows } from './fake-window.ts'

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
 * Refusals seen at vendors other than Codex: a token that is expired until the proxy refreshes it, a token explicitly revoked for good, a token whose
 * scope does not cover quota, an account banned for its use, a used-up plan, clients refused only for their pace, an unknown path, no answer at all.
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

/** Forms of a vendor's quota answer; each vendor knows its own forms and treats any other as the usual one. */
export const vendorShapes = [
  /** Current form; Kimi's is `A`. */
  'usual',
  /** Claude: without `limits`. */
  'legacy',
  /** Claude: a spend limit alone. */
  'enterprise',
  /** No number at all. */
  'empty',
  /** xAI: the percent is left out although there is use. */
  'no_percent',
  /** Antigravity: fractions as text, everything below `response`. */
  'wrapped',
  /** Kimi: a week and five hours as counts; a month as ratios; both; both with ratios stuck at 0. */
  'A',
  'B',
  'C',
  'C_stuck',
] as const

/** The account behind an auth file, as far as its vendor knows it. */
export interface VendorAccount {
  readonly provider: string
  readonly email: string
  /** The vendor's own id: organisation of Claude, user of Kimi. */
  readonly accountId: string
  readonly vendorPlan: string
  readonly projectId: string | null
  readonly windows: FakeWindows
  readonly shape: (typeof vendorShapes)[number]
  readonly vendor: VendorBehaviour
}

/** Query that a vendor answers: its quota, or the plan alone. */
export type VendorQueryKind = 'quota' | 'plan'

/** One forwarded request. */
export interface VendorRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
}

export interface VendorReply {
  readonly status: number
  readonly body: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** Refusals that each vendor words in its own way. */
type VendorRefusal =
  | Exclude<(typeof vendorRefusals)[number], 'hanging'>
  | 'token_invalidated'
  | 'server_error'
  | 'throttled'

/** Tokens of one request by class; no class includes another. */
interface TokenClasses {
  readonly uncached: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly answer: number
  readonly reasoning: number
}

/** Form in which the proxy records a request: its executor, and which token classes the executor includes in which. */
export interface UsageForm {
  readonly provider: string
  readonly executor: string
  readonly endpoint: string
  readonly userAgent: string
  readonly model: string
  readonly family: 'anthropic' | 'openai' | 'gemini'
  readonly classes: TokenClasses
}

/** A client's request: the format it is written in, the vendor's own or Claude's, and its model. */
export interface ClientRequest {
  readonly format?: 'own' | 'claude'
  readonly model?: string
}

/** A client's request refused by the vendor, and the resulting cooldown in the proxy. */
export interface ClientFailure {
  readonly status: number
  readonly body: object | string
  /** Time at which the proxy tries again; null for its own wait of 1 s, doubled with each further refusal. */
  readonly until: EpochMs | null
  /** The model it concerns; null: the whole credential. */
  readonly model: string | null
  /** True if the cooldown outlasts the change of an auth file, which ends all others. */
  readonly outlastsFileChanges?: boolean
  /** Headers of the answer, in Go's spelling. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Vendor {
  /** Its hosts, each with the provider whose accounts are asked about there. */
  readonly hosts: Readonly<Record<string, string>>
  /** Minimum seconds between two granted quota queries of one account, unless the fake sets others; 0: no limit. */
  readonly secondsApart: number
  /** Members of a new account. */
  readonly login: {
    readonly plan: string
    readonly hasEmail: boolean
    windows(plan: string): FakeWindows
    fileName(of: Pick<VendorAccount, 'email' | 'accountId' | 'provider'>): string
  }
  /** Calls that the proxy makes by itself; null: none of this kind. */
  readonly ownCalls: {
    readonly refresh: OwnCall
    readonly afterRefresh: OwnCall | null
    readonly afterFileChange: OwnCall | null
  }
  kindOf(request: VendorRequest): VendorQueryKind | null
  /** Refuses a request that lacks something other than a token; null if it lacks nothing. */
  unfit(request: VendorRequest): VendorReply | null
  readonly unknownToken: VendorReply
  readonly refusals: Readonly<Record<VendorRefusal, VendorReply>>
  /** Answers with the account's state. Its windows have been moved to `at`. */
  answer(kind: VendorQueryKind, account: VendorAccount, at: EpochMs): VendorReply
  usageForm(account: VendorAccount, request: ClientRequest): UsageForm
  /** Windows that a request with this model uses up. */
  windowsUsed(account: VendorAccount, model: string): readonly string[]
  /** Headers of a good answer to a client, in Go's spelling. */
  clientHeaders(
    account: VendorAccount,
    model: string,
    at: EpochMs,
  ): Readonly<Record<string, string>>
  /** The refusal that a used-up window brings a client; null for none. */
  limitOf(account: VendorAccount, model: string, at: EpochMs): ClientFailure | null
  /** Status of a refusal in client traffic, if the proxy reports another one than the vendor. */
  readonly statusInTraffic?: Readonly<Partial<Record<VendorRefusal, number>>>
}

export interface OwnCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly userAgent: string
}

/** The user agent of Go's HTTP client, as the proxy sends it where it sets none. */
export const GO_USER_AGENT = 'Go-http-client/2.0'
