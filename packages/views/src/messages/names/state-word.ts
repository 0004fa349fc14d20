import type { AccountStatusKind, BlockedReason, WindowId } from '@svc/core'

interface StateWords {
  readonly names: Readonly<Record<AccountStatusKind, string>>
  usedUp(id: WindowId): string
}

/** Word for an account's state. A blocked account is named after its reason; `reason` is null or undefined if unknown. */
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

/** Word for the reason shared by all of these blocked accounts; null if the reasons differ. */
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
