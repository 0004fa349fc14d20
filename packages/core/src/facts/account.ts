import { ASSUMED_PROVIDER, type ProviderId } from './provider.ts'
import type { StatusMessage, Verdict } from './status-message.ts'
import type { EpochMs } from './time.ts'
import { DEFAULT_UPSTREAM, type UpstreamName } from './upstream.ts'

/** Names that identify an account outside this service. Holds no path, token or key. */
export interface AccountSelector {
  /** Base name of the auth file at the proxy; usually contains the e-mail address. */
  readonly authName: string
  /** The proxy's own index; `""` if it has none. Changes when the file moves. */
  readonly authIndex: string
  /** Stable identity: survives a rename, a re-login and a proxy upgrade. Contains no e-mail. */
  readonly accountKey: string
}

/** Status reported by the proxy; an unknown word becomes `unknown`. */
export type UpstreamStatus =
  | 'active'
  | 'error'
  | 'disabled'
  | 'pending'
  | 'refreshing'
  | 'invalid'
  | 'unknown'

/** Request counts of one 10-minute slot, as counted by the proxy. */
export interface RequestSlot {
  readonly startAt: EpochMs
  readonly success: number
  readonly failed: number
}

/** One auth file of the proxy, as its account list describes it. */
export interface Account {
  readonly provider: ProviderId
  readonly upstream: UpstreamName
  readonly selector: AccountSelector
  /** The first of label, e-mail and name that the proxy knows. May not be unique. */
  readonly title: string
  /** Lower-case e-mail address of the login; null if unknown. Used to attribute usage records to the account. */
  readonly email: string | null
  /** Workspace id that the vendor requires as a header; null if unknown. Never shown. */
  readonly vendorAccountId: string | null
  /** Plan name inside the login token; only as fresh as the last token refresh. */
  readonly claimedPlan: string | null
  /** End of the paid plan according to the login token, as of the last token refresh; null if the token states none. */
  readonly subscribedUntil: EpochMs | null
  readonly upstreamStatus: UpstreamStatus
  readonly operatorDisabled: boolean
  /** True if a plugin of the proxy can report the account's quota; false if omitted. */
  readonly supportsQuota?: boolean
  /** Routing priority at the proxy, which uses the highest first; null or omitted if none is set. */
  readonly priority?: number | null
  readonly unavailable: boolean
  /** The proxy's status message, reduced to the facts that rules use. */
  readonly message: StatusMessage
  /** Time the proxy first showed this message; null if unknown. */
  readonly messageAt: EpochMs | null
  /** End of the proxy's cool-down; may lie in the past. */
  readonly nextRetryAt: EpochMs | null
  /** Time the auth file was last written; null if unknown. */
  readonly modifiedAt: EpochMs | null
  /** Upper bound of the end of the last successful request; null if no success is known. */
  readonly lastSuccessAt: EpochMs | null
  /** Latest known lower bound of the time of the last successful request; equals `lastSuccessAt` if omitted. */
  readonly provenAt?: EpochMs | null
  /** Last refusal of the account, unless a request has succeeded since; null or omitted if there is none. */
  readonly verdict?: Verdict | null
  /** Oldest first; the newest is the current slot. Empty if the proxy keeps no counts. */
  readonly recentRequests: readonly RequestSlot[]
}

/**
 * Whether two states of an auth file contain the same login. The account key may change: when the vendor reports the account's identity, the file
 * gets the key first given to that identity.
 */
export function isSameLogin(one: Account, other: Account): boolean {
  if (one.selector.accountKey === other.selector.accountKey) return true
  const isOtherVendors = one.provider === other.provider && one.provider !== ASSUMED_PROVIDER
  return isOtherVendors && one.email === other.email
}

/** An enabled, active account of which only the name and the members in `known` are known. */
export function accountNamed(authName: string, known: Partial<Account> = {}): Account {
  return {
    provider: ASSUMED_PROVIDER,
    upstream: DEFAULT_UPSTREAM,
    selector: { authName, authIndex: '', accountKey: authName },
    title: authName,
    email: null,
    vendorAccountId: null,
    claimedPlan: null,
    subscribedUntil: null,
    upstreamStatus: 'active',
    operatorDisabled: false,
    unavailable: false,
    message: { kind: 'none' },
    messageAt: null,
    nextRetryAt: null,
    modifiedAt: null,
    lastSuccessAt: null,
    recentRequests: [],
    ...known,
  }
}
