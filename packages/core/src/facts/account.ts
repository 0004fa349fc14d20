import { ASSUMED_PROVIDER, type ProviderId } from './provider.ts'
import type { StatusMessage } from './status-message.ts'
import type { EpochMs } from './time.ts'
import { DEFAULT_UPSTREAM, type UpstreamName } from './upstream.ts'

/** How the world names an account. Holds no path, token or key. */
export interface AccountSelector {
  /** Base name of the auth file at the proxy; usually contains the e-mail address. */
  readonly authName: string
  /** The proxy's own index, `""` when it has none. Changes when the file moves. */
  readonly authIndex: string
  /** Stable identity: survives a rename, a re-login and a proxy upgrade. Contains no e-mail. */
  readonly accountKey: string
}

/** Status word of the proxy; a word we do not know is `unknown`. */
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
  /** The proxy that has the file. */
  readonly upstream: UpstreamName
  readonly selector: AccountSelector
  /** Label, e-mail or name: the first the proxy has. Not yet made unique. */
  readonly title: string
  /** Lower-case address of the login, null when unknown; tells whose usage a record is. */
  readonly email: string | null
  /** Workspace id the vendor wants as a header, null when unknown. Never shown. */
  readonly vendorAccountId: string | null
  /** Plan name inside the login token; only as fresh as the last token refresh. */
  readonly claimedPlan: string | null
  /** Until when the login token says that the plan is paid for; as old as the token. */
  readonly subscribedUntil: EpochMs | null
  readonly upstreamStatus: UpstreamStatus
  readonly operatorDisabled: boolean
  /** The proxy holds every model of this account back. */
  readonly unavailable: boolean
  /** What the proxy's status message says, reduced to what we act on. */
  readonly message: StatusMessage
  /** When the proxy first showed this message, null when it does not say. */
  readonly messageAt: EpochMs | null
  /** End of the proxy's cool-down; may lie in the past. */
  readonly nextRetryAt: EpochMs | null
  /** When the auth file was last written. */
  readonly modifiedAt: EpochMs | null
  /** Latest instant by which the last successful request had ended; null when none is known of. */
  readonly lastSuccessAt: EpochMs | null
  /** Oldest first, newest = the current slot. Empty when the proxy does not count. */
  readonly recentRequests: readonly RequestSlot[]
}

/** An enabled, active account of which only its name is known, with whatever else `known` says. */
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
