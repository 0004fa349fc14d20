import type {
  AccountStatusKind,
  BlockedReason,
  EpochMs,
  MainWindowId,
  ProviderId,
  WindowId,
} from '@svc/core'
import type { NamedAccount } from '@svc/core/health'
import { isMainWindow, providerIds, providerLabel } from '@svc/core/service'
import { capitalised } from '../../format/format.ts'
import type { ActionOf, Words } from '../conditions/conditions.ts'

/** Display name of a provider, capitalised for the start of a text: `xAI`; `Kiro` for a provider without a row. */
export function providerName(provider: ProviderId): string {
  const label = providerLabel(provider)
  return providerIds.includes(provider) ? label : capitalised(label)
}

/** Display names of providers; a name that an earlier one has is followed by the proxy's own: `Kimi (kimi-ai)`. */
export function providerNames(providers: readonly ProviderId[]): ReadonlyMap<ProviderId, string> {
  const names = new Map<ProviderId, string>()
  for (const provider of providers) {
    const name = providerName(provider)
    names.set(provider, [...names.values()].includes(name) ? `${name} (${provider})` : name)
  }
  return names
}

/** Maximum number of providers that are named; the accounts of the others are summed. */
const NAMED_MAX = 6

/** Number of accounts per provider name, in list order, and the number of accounts of unnamed providers. */
export function countsByProvider(providers: readonly ProviderId[]): {
  readonly named: readonly (readonly [label: string, count: number])[]
  readonly restCount: number
} {
  const counts = new Map<ProviderId, number>()
  for (const provider of providers) counts.set(provider, (counts.get(provider) ?? 0) + 1)
  const all = [...providerNames([...counts.keys()])].map(
    ([provider, name]) => [name, counts.get(provider) ?? 0] as const,
  )
  const restCount = all.slice(NAMED_MAX).reduce((sum, [, count]) => sum + count, 0)
  return { named: all.slice(0, NAMED_MAX), restCount }
}

/** Maximum number of accounts of a group that are named; the others are only counted. */
const NAMED_ACCOUNTS_MAX = 5

export interface AboutAccounts {
  readonly accounts: readonly NamedAccount[]
}

/** The first few names of a group, and the number of others. */
export function someNamesOf({ accounts }: AboutAccounts): {
  readonly named: readonly string[]
  readonly unnamedCount: number
} {
  const named = accounts.slice(0, NAMED_ACCOUNTS_MAX).map(({ title }) => title)
  return { named, unnamedCount: accounts.length - named.length }
}

type LoginWave = ActionOf<'login_wave'>
export type LossCause = LoginWave['accounts'][number]['cause']

/** Number of accounts by cause, in the order of their first loss. */
export function causesIn({ accounts }: LoginWave): ReadonlyMap<LossCause, number> {
  const counts = new Map<LossCause, number>()
  for (const { cause } of accounts) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  return counts
}

/** The cause common to all accounts; null if there are several. */
export function onlyCauseIn(wave: LoginWave): LossCause | null {
  const [cause, ...others] = causesIn(wave).keys()
  return cause === undefined || others.length > 0 ? null : cause
}

type Lapses = ActionOf<'banked_reset_lapses'>

/** The number of banked resets that an action is about, and the first expiry of them. */
export function lapsingIn({ accounts }: Lapses, now: EpochMs): { until: EpochMs; count: number } {
  return {
    until: accounts[0]?.until ?? now,
    count: accounts.reduce((sum, { resetCount }) => sum + resetCount, 0),
  }
}

/** Accounts whose week is used up, the one that waits longest for its reset first, with the end of that wait. */
export function usedUpLongestFirst({ accounts }: Lapses) {
  return accounts
    .flatMap(({ weekUsedUpUntil: until, ...account }) =>
      until === null ? [] : [{ ...account, until }],
    )
    .sort((one, other) => other.until - one.until)
}

/** The system a source reads from, and the configuration key of its address. */
export interface Peer {
  readonly name: string
  readonly addressKey: string
  /** True for a local file, which gives no answers. */
  readonly isFile: boolean
  readonly reachable: string
  readonly calmer: string
}

export interface SourceNames {
  readonly title: string
  readonly peer: Pick<Peer, 'name' | 'reachable' | 'calmer'>
  /** Verb for a successful read; omitted for "Answered". */
  readonly verb?: string
}

/** Words for a failure of a source: badge, reason and remedy. */
export type SourceFailureWords = (
  peer: Peer & { readonly address?: string | undefined },
) => Words & { readonly badge: string }

interface StateWords {
  readonly names: Readonly<Record<AccountStatusKind, string>>
  usedUp(id: WindowId): string
}

/** Word for an account's state. A blocked account is called by its reason; `reason` is null or undefined if unknown. */
export function stateWord(
  kind: AccountStatusKind,
  reason: BlockedReason | null | undefined,
  words: StateWords,
): string {
  return reason == null ? words.names[kind] : causeWord(reason, kind === 'deactivated', words)
}

export function causeWord(reason: BlockedReason, deactivated: boolean, words: StateWords): string {
  if (isOfWindow(reason)) return words.usedUp(reason.slice(WINDOW_PREFIX.length))
  return words.names[deactivated && reason === 'auth_invalid' ? 'deactivated' : KINDS[reason]]
}

/** Word for the reason common to these blocked accounts; null if the reasons differ. */
export function sharedWord(
  accounts: readonly { readonly reason?: BlockedReason }[],
  words: StateWords,
): string | null {
  const [first, ...others] = accounts.map(({ reason }) => reason)
  return first === undefined || others.some((other) => other !== first)
    ? null
    : causeWord(first, false, words)
}

type OwnReason = Exclude<BlockedReason, `quota_exhausted_${string}`>
const KINDS: Readonly<Record<OwnReason, AccountStatusKind>> = {
  operator_disabled: 'disabled',
  auth_invalid: 'auth_invalid',
  status_invalid: 'unavailable',
  upstream_retry_after: 'retry_after',
  cooldown: 'cooldown',
}

const WINDOW_PREFIX = 'quota_exhausted_'
const isOfWindow = (reason: BlockedReason): reason is `quota_exhausted_${string}` =>
  reason.startsWith(WINDOW_PREFIX)

interface WindowNames {
  /** Labels of windows of the account itself, not of a scope. */
  readonly own: Readonly<Record<MainWindowId | 'day' | 'month' | 'spend' | 'limit', string>>
  /** Names a window that is known only by its length. */
  durationText(seconds: number): string
  /** Names a limit of another scope, such as one feature. */
  ofScope(scope: string, label: string): string
}

/** Whether a window limits an amount instead of use over time. */
export const isAmount = (id: WindowId): boolean => id === 'spend' || id === 'limit'

export function createWindowLabel({ own, durationText, ofScope }: WindowNames) {
  const ownLabel = (kind: string): string => {
    if (isNamed(kind)) return own[kind]
    return /^\d+s$/.test(kind) ? durationText(Number.parseInt(kind, 10)) : kind
  }
  const isNamed = (kind: string): kind is keyof typeof own => Object.hasOwn(own, kind)

  /** `scopeLabel`: the vendor's name for the scope of a window. Default: its id. */
  return (id: WindowId, scopeLabel?: string): string => {
    if (isMainWindow(id)) return ownLabel(id)
    const parts = id.split(':')
    const kind = parts.at(-1) ?? id
    const scope = parts[0] === 'extra' ? parts.slice(1, -1).join(':') : (parts[0] ?? '')
    return ofScope(scopeLabel ?? capitalised(scope.replaceAll('_', ' ')), ownLabel(kind))
  }
}
