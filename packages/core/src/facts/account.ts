import { ASSUMED_PROVIDER, type ProviderId } from './provider.ts'
import type { StatusMessage, Verdict } from './status-message.ts'
import type { EpochMs } from './time.ts'
import { DEFAULT_UPSTREAM, type UpstreamName } from './upstream.ts'

/** Names that identify an account outside this service. Holds no path, token or key. */
export interface AccountSelector {
  /** Base name of the auth file at the proxy; usually contains the e-mail address. */
  readonly authName: string
  /** The proxy's own index, `""` if it has none. Changes when the file moves. */
  readonly authIndex: string
  /** Stable identity: survives a rename, a re-login and a proxy upgrade. Contains no e-mail. */
  readonly accountKey: string
}

/** Status word of the proxy; unknown words become `unknown`. */
export type UpstreamStatus =
  | 'active'
  | 'error'
  | 'disabled'
  | 'pending'
  | 'refreshing'
  | 'invalid'
  | 'unknown'

/** Requests of one 10-minute slot, as the proxy counts them. */
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
  /** The first of label, e-mail and name that the proxy has. Not yet made unique. */
  readonly title: string
  /** Lower-case address of the login, null if unknown; attributes usage records to the account. */
  readonly email: string | null
  /** Workspace id the vendor wants as a header; null if unknown. Never shown. */
  readonly vendorAccountId: string | null
  /** Plan name inside the login token; only as fresh as the last token refresh. */
  readonly claimedPlan: string | null
  /** End of the paid plan according to the login token; as old as the token. Null if the token names none. */
  readonly subscribedUntil: EpochMs | null
  readonly upstreamStatus: UpstreamStatus
  readonly operatorDisabled: boolean
  /** True if a plugin of the proxy can report the account's quota; false if omitted. */
  readonly supportsQuota?: boolean
  /** Routing priority at the proxy, which uses the highest first; null or left out if none is set. */
  readonly priority?: number | null
  readonly unavailable: boolean
  /** The proxy's status message, reduced to the parts that rules use. */
  readonly message: StatusMessage
  /** Time the proxy first showed this message; null if unknown. */
  readonly messageAt: EpochMs | null
  /** End of the proxy's cool-down; may lie in the past. */
  readonly nextRetryAt: EpochMs | null
  /** Time the auth file was last written; null if unknown. */
  readonly modifiedAt: EpochMs | null
  /** Latest instant by which the last successful request had ended; null if no success is known. */
  readonly lastSuccessAt: EpochMs | null
  /** Latest instant at or after which a request is known to have succeeded; left out: `lastSuccessAt`. */
  readonly provenAt?: EpochMs | null
  /** Last refusal of the account, unless a request has succeeded since; null or left out for none. */
  readonly verdict?: Verdict | null
  /** Oldest first; the newest is the current slot. Empty if the proxy does not count. */
  readonly recentRequests: readonly RequestSlot[]
}

/** Whether an auth file still has the same login. Its key may have changed since: when its vendor names its identity, it becomes the one first given to that. */
export function isSameLogin(one: Account, other: Account): boolean {
  if (one.selector.accountKey === other.selector.accountKey) return true
  const isOtherVendors = one.provider === other.provider && one.provider !== ASSUMED_PROVIDER
  return isOtherVendors && one.email === other.email
}

/** An enabled, active account known only by its name, plus the members in `known`. */
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
