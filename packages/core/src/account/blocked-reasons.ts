import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import { ASSUMED_PROVIDER, providerRowOf } from '../facts/provider.ts'
import { type EpochMs, lastInstant } from '../facts/time.ts'
import { isMainWindow } from '../facts/window.ts'
import {
  type AccountStatus,
  type AccountStatusKind,
  type LoginLoss,
  type LossSign,
  lossOf,
} from './account-status.ts'
import {
  cooldownEndOf,
  isUnproven,
  planLimitOf,
  provenAtOf,
  standingVerdict,
  VERDICT_MS_MAX,
} from './lasting-verdict.ts'
import { newestDirectSample, showsQuotaLeft } from './merge-evidence.ts'
import { type QuotaWindow, resetAtOf } from './quota-window.ts'

/** Reason an account must not be used, as a stable slug of the public contract. */
export type BlockedReason =
  | 'operator_disabled'
  | 'auth_invalid'
  | 'status_invalid'
  | `quota_exhausted_${string}`
  | 'upstream_retry_after'
  | 'cooldown'

/** A login counts as invalid after this many confirmed refusals in a row. See docs/rules.md#refused-logins. */
const REFUSED_LOGINS_MIN = 2
/** HTTP status the vendor sends for an account that is no longer paid for. */
const PAYMENT_REQUIRED = 402

export interface AccountState {
  readonly status: AccountStatus
  /** In the order of docs/rules.md#account-status; the first one decides the status. Empty if the account may be used. */
  readonly blockedReasons: readonly BlockedReason[]
  /** The login belongs to an account or workspace that no longer exists or is no longer paid for. */
  readonly deactivated: boolean
  /** Null while the login is accepted. */
  readonly loginLoss: LoginLoss | null
  /** Time until which the proxy or a usage limit blocks the account; null if neither does, or the time is unknown. */
  readonly heldUntil: EpochMs | null
  /** End of the wait after a refusal that stated no time; null if the account is not waiting, or the time is unknown. */
  readonly coolsUntil: EpochMs | null
}

/** One cause that keeps an account from being used. */
export interface Block {
  readonly slug: BlockedReason
  /** End of this block; null if unknown. The account may be blocked for longer by another one. */
  readonly until: EpochMs | null
}

/** The state of an account: its status and everything that blocks it. `windows` are its current windows. */
export function accountStateOf(
  account: Account,
  evidence: AccountEvidence | null,
  windows: readonly QuotaWindow[],
  now: EpochMs,
): AccountState {
  const faults = faultsOf(account, evidence, windows, now)
  const blockedReasons = reasonsOf(faults)
  const first = blockedReasons[0]
  return {
    status:
      first === undefined
        ? routableStatus(account, evidence, now)
        : blockedStatus(first, account, faults),
    blockedReasons,
    deactivated: faults.authFault?.deactivated ?? false,
    loginLoss: faults.authFault,
    heldUntil: faults.heldUntil,
    coolsUntil: faults.coolsUntil,
  }
}

/** Everything that may be wrong with an account. A time is null if it has passed or is unknown. */
interface Faults {
  readonly disabled: boolean
  readonly invalid: boolean
  readonly authFault: LoginLoss | null
  readonly exhausted: readonly QuotaWindow[]
  readonly limitUntil: EpochMs | null
  readonly heldUntil: EpochMs | null
  readonly cooling: boolean
  readonly coolsUntil: EpochMs | null
}

function faultsOf(
  account: Account,
  evidence: AccountEvidence | null,
  windows: readonly QuotaWindow[],
  now: EpochMs,
): Faults {
  const { nextRetryAt, upstreamStatus } = account
  const verdict = standingVerdict(account, evidence, now)
  const limit = unrefutedLimit(account, evidence)
  const known = verdict === null ? null : planLimitOf(verdict.message, verdict.at, evidence)
  const remembered = known?.kind === 'usage_limit' ? known.resetsAt : null
  const limitUntil = futureOf(limit?.resetsAt ?? remembered, now)
  const retryUntil = futureOf(nextRetryAt, now)
  // A message the proxy still shows without a time counts as cooling down with no known end; of other vendors it may stay after a success.
  const isShownCooling =
    account.provider === ASSUMED_PROVIDER && limit?.resetsAt === null && nextRetryAt === null
  const cooldownEnd = verdict !== null && known?.kind === 'quota' ? cooldownEndOf(verdict) : null
  const isResting = cooldownEnd !== null && cooldownEnd > (retryUntil ?? now)
  return {
    disabled: account.operatorDisabled || upstreamStatus === 'disabled',
    invalid: upstreamStatus === 'invalid' || (account.unavailable && nextRetryAt === null),
    authFault: authFaultOf(account, evidence, now),
    exhausted: windows.filter(
      ({ state, id, blocksNothing }) =>
        state === 'exhausted' && isMainWindow(id) && blocksNothing !== true,
    ),
    limitUntil,
    heldUntil: lastInstant([limitUntil, retryUntil]),
    cooling: isShownCooling || isResting,
    coolsUntil: isResting && !isShownCooling ? cooldownEnd : null,
  }
}

function reasonsOf(faults: Faults): readonly BlockedReason[] {
  const { disabled, invalid, authFault, exhausted, heldUntil, cooling } = faults
  const explained = authFault !== null || exhausted.length > 0 || heldUntil !== null || cooling
  const reasons: BlockedReason[] = []
  if (disabled) reasons.push('operator_disabled')
  if (authFault !== null) reasons.push('auth_invalid')
  if (invalid && !explained) reasons.push('status_invalid')
  reasons.push(...exhausted.map((window) => `quota_exhausted_${window.id}` as const))
  if (heldUntil !== null) reasons.push('upstream_retry_after')
  if (cooling) reasons.push('cooldown')
  return reasons
}

function blockedStatus(
  first: BlockedReason,
  { unavailable }: Account,
  { authFault, invalid, exhausted, limitUntil, heldUntil, coolsUntil }: Faults,
): AccountStatus {
  switch (first) {
    case 'operator_disabled':
      return statusOf('disabled', authFault !== null || unavailable || invalid ? 'bad' : 'unknown')
    case 'auth_invalid':
      return statusOf(authFault?.deactivated ? 'deactivated' : 'auth_invalid', 'bad')
    case 'status_invalid':
      return statusOf('unavailable', 'bad')
    case 'upstream_retry_after':
      return statusOf(limitUntil === null ? 'retry_after' : 'reset_scheduled', 'warn', heldUntil)
    case 'cooldown':
      return statusOf('cooldown', 'warn', coolsUntil)
    default: {
      const freeAt = lastReset(exhausted)
      if (freeAt === null) return statusOf('quota_hit', 'bad')
      // The reset frees nothing while something else holds the account back for longer.
      return statusOf('reset_scheduled', 'warn', lastInstant([freeAt, heldUntil]))
    }
  }
}

function statusOf(
  kind: AccountStatusKind,
  tone: AccountStatus['tone'],
  until: EpochMs | null = null,
): AccountStatus {
  return { kind, tone, until }
}

function futureOf(at: EpochMs | null, now: EpochMs): EpochMs | null {
  return at !== null && at > now ? at : null
}

/** Everything that keeps an account from being used, each with its end, in the order of the blocked reasons. */
export function blocksOf({
  blockedReasons,
  windows,
  heldUntil,
  coolsUntil,
}: {
  readonly blockedReasons: readonly BlockedReason[]
  readonly windows: readonly QuotaWindow[]
  readonly heldUntil: EpochMs | null
  readonly coolsUntil: EpochMs | null
}): readonly Block[] {
  return blockedReasons.map((slug) => {
    if (slug === 'upstream_retry_after') return { slug, until: heldUntil }
    if (slug === 'cooldown') return { slug, until: coolsUntil }
    const window = windows.find(({ id }) => slug === `quota_exhausted_${id}`)
    return { slug, until: window === undefined ? null : resetAtOf(window) }
  })
}

/** The block that decides an account's displayed state: the longest one; null if the account may be used. */
export function namingBlockOf(account: {
  readonly status: AccountStatus
  readonly blockedReasons: readonly BlockedReason[]
  readonly windows: readonly QuotaWindow[]
  readonly heldUntil: EpochMs | null
  readonly coolsUntil: EpochMs | null
}): Block | null {
  const blocks = blocksOf(account)
  return blocks.find(({ until }) => until === account.status.until) ?? blocks[0] ?? null
}

function routableStatus(
  account: Account,
  evidence: AccountEvidence | null,
  now: EpochMs,
): AccountStatus {
  const word = (kind: AccountStatusKind): AccountStatus => ({ kind, tone: 'warn', until: null })
  const waitIsOver = account.nextRetryAt !== null && account.nextRetryAt <= now
  const limitIsOver = account.message.kind === 'usage_limit' && account.message.resetsAt <= now
  const troubled = account.upstreamStatus === 'error' || account.unavailable
  if ((troubled && (waitIsOver || limitIsOver)) || isUnproven(account, evidence, now))
    return word('ready_unproven')
  switch (account.upstreamStatus) {
    case 'error':
      return word('degraded')
    case 'pending':
      return word('pending')
    case 'refreshing':
      return word('refreshing')
    case 'unknown':
      return word('unknown_status')
    default:
      return account.message.kind === 'none'
        ? { kind: 'active', tone: 'good', until: null }
        : word('message')
  }
}

/**
 * A login fault that only a human can fix; null if there is none, or if newer evidence disproves it. Samples taken through another proxy
 * prove nothing about this login.
 */
export function authFaultOf(
  account: Account,
  evidence: AccountEvidence | null,
  now: EpochMs,
): LoginLoss | null {
  const sampledAt = newestDirectSample(evidence?.samples ?? [])?.sampledAt ?? null
  const clearedSince = (at: EpochMs | null) =>
    at !== null &&
    [sampledAt, provenAtOf(account), account.modifiedAt].some(
      (instant) => instant !== null && instant > at,
    )

  const signs: LossSign[] = []
  const { message } = account
  const isDefinite = message.kind === 'auth_fault' && message.suspected !== true
  if (isDefinite && !clearedSince(account.messageAt))
    signs.push({ ...message, times: [account.messageAt] })
  const remembered = standingVerdict(account, evidence, now)
  if (
    remembered?.message.kind === 'auth_fault' &&
    (remembered.message.suspected !== true ||
      isProvenBy(account, remembered.firstAt ?? remembered.at, remembered.at))
  )
    signs.push({ ...remembered.message, times: [remembered.firstAt ?? null, remembered.at] })
  const refused = evidence?.refusedLogin ?? null
  const isCondemned =
    refused !== null &&
    now - refused.lastAt < VERDICT_MS_MAX &&
    !clearedSince(refused.lastAt) &&
    (refused.revoked === true ||
      (refused.inARow >= REFUSED_LOGINS_MIN &&
        isProvenBy(account, refused.firstAt ?? refused.lastAt, refused.lastAt)))
  if (isCondemned)
    signs.push({
      code: null,
      deactivated: refused.deactivated === true || refused.httpStatus === PAYMENT_REQUIRED,
      times: [refused.firstAt ?? null, refused.lastAt],
    })
  const provenAt = provenAtOf(account)
  return lossOf(signs, lastInstant([sampledAt, provenAt]))
}

/**
 * True if refusals at these two times prove that a login is lost, not merely expired: no success lies between them, but enough time for the proxy to
 * refresh the token, or an actual refresh. See docs/rules.md#refused-logins.
 */
function isProvenBy(account: Account, firstAt: EpochMs, lastAt: EpochMs): boolean {
  const { refusalsApartMs } = providerRowOf(account.provider)
  if (refusalsApartMs === 0) return true
  const provenAt = provenAtOf(account)
  if (provenAt !== null && provenAt > firstAt) return false
  const { modifiedAt } = account
  const isRewritten = modifiedAt !== null && modifiedAt > firstAt && modifiedAt <= lastAt
  return isRewritten || lastAt - firstAt >= refusalsApartMs
}

/** The used-up limit in the proxy's message, unless a newer direct sample shows quota left. `resetsAt` is null if the message contains no time. */
function unrefutedLimit(
  account: Account,
  evidence: AccountEvidence | null,
): { readonly resetsAt: EpochMs | null } | null {
  const message = planLimitOf(account.message, account.messageAt, evidence)
  if (message.kind !== 'usage_limit' && message.kind !== 'quota') return null
  const observedAt = message.kind === 'usage_limit' ? message.observedAt : account.messageAt
  const direct = newestDirectSample(allSamplesOf(evidence))
  const refuted =
    direct !== null &&
    observedAt !== null &&
    direct.sampledAt > observedAt &&
    showsQuotaLeft(direct)
  if (refuted) return null
  return { resetsAt: message.kind === 'usage_limit' ? message.resetsAt : null }
}

/** The last reset of these windows; null (end unknown) if one of them has no reset time. */
function lastReset(exhausted: readonly QuotaWindow[]): EpochMs | null {
  const resets = exhausted.map(resetAtOf)
  return resets.includes(null) ? null : lastInstant(resets)
}
