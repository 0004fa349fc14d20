import {
  type AccountStatus,
  type AccountStatusKind,
  type EpochMs,
  type EvaluatedAccount,
  resetAtOf,
  secondsUntil,
} from '@svc/core'
import { accountFaultOf } from '@svc/core/service'
import { durationText, type Zone } from '../format/format.ts'
import { actionConditions } from './en/health-actions.ts'
import { windowLabel } from './en/window-label.ts'

/** From here on a bare clock time would name the wrong day. See docs/rules.md#account-status. */
const CLOCK_ALONE_SECONDS_MAX = 24 * 3600

/** What an account's state is called, as in `Active` or `Retry after 21:12`. */
export function statusLabel(status: AccountStatus, now: EpochMs, text: Zone): string {
  const seconds = secondsUntil(status.until, now)
  if (status.kind !== 'retry_after' || status.until === null || seconds === null)
    return statusName(status.kind)
  return `Retry after ${seconds > CLOCK_ALONE_SECONDS_MAX ? text.dateText(status.until) : text.clockText(status.until)}`
}

/** The same without a time, for a state that is no longer or not yet. */
export function statusName(kind: AccountStatusKind): string {
  return statusNames[kind]
}

/** How a state is marked: as its tone, or as what merely waits or is switched off on purpose. */
export function statusSign(account: EvaluatedAccount): StatusSign {
  const fault = accountFaultOf(account)
  // As bad as Health calls it.
  if (fault !== null) return fault.tone
  switch (account.status.kind) {
    case 'disabled':
      return 'off'
    case 'reset_scheduled':
    case 'retry_after':
    case 'cooldown':
      return 'wait'
    default:
      return account.status.tone
  }
}

export const statusSigns = ['good', 'warn', 'bad', 'unknown', 'wait', 'off'] as const
type StatusSign = (typeof statusSigns)[number]

const statusNames: Readonly<Record<AccountStatusKind, string>> = {
  active: 'Active',
  disabled: 'Disabled',
  auth_invalid: 'Auth invalid',
  deactivated: 'Deactivated',
  unavailable: 'Unavailable',
  reset_scheduled: 'Reset scheduled',
  quota_hit: 'Quota hit',
  retry_after: 'Retry after',
  cooldown: 'Cooldown',
  ready_unproven: 'Ready, unproven',
  degraded: 'Degraded',
  pending: 'Pending',
  refreshing: 'Refreshing',
  unknown_status: 'Unknown status',
  message: 'Active, with a message',
}

/** What the state means for the operator, and what to do if anything. */
export function statusAdvice(account: EvaluatedAccount, now: EpochMs, text: Zone): string {
  const { kind, until } = account.status
  switch (kind) {
    case 'active':
      return 'Ready.'
    case 'disabled':
      return disabledAdvice(account)
    // What Health says of the same account, word for word.
    case 'auth_invalid':
    case 'deactivated':
    case 'quota_hit':
      return actionConditions[kind].remedy
    case 'unavailable':
      return actionConditions.account_unavailable.remedy
    case 'reset_scheduled':
      return until === null
        ? 'Nothing to do. A reset frees it.'
        : `Nothing to do. ${resetSentence(account, until, now, text)}`
    case 'retry_after':
      return `Nothing to do. The proxy holds it back${until === null ? '' : ` until ${text.momentText(until, now)}`}.`
    case 'cooldown':
      return 'Nothing to do. Quota message without a time; the monitor checks it again.'
    case 'ready_unproven':
      return 'Usable: the cool-down has ended, but no request has succeeded since.'
    case 'degraded':
      return 'Usable, but one of its models failed on the proxy.'
    case 'pending':
    case 'refreshing':
      return 'Usable, not proven yet.'
    case 'unknown_status':
      return 'Usable, but the proxy gives it a status this monitor does not know.'
    case 'message':
      return 'Usable. The proxy shows a message for it; look at its log.'
    default:
      return kind satisfies never
  }
}

function disabledAdvice(account: EvaluatedAccount): string {
  const fault = accountFaultOf(account)
  return `Left out on purpose.${fault === null ? '' : ` ${actionConditions[fault.code].remedy}`}`
}

/** Names the window only when its reset is the one that frees the account. */
function resetSentence(
  account: EvaluatedAccount,
  until: EpochMs,
  now: EpochMs,
  text: Zone,
): string {
  const freeing = account.windows.find(
    (window) => window.state === 'exhausted' && resetAtOf(window) === until,
  )
  const what =
    freeing === undefined ? 'reset of its limit' : `${windowLabel(freeing.id).toLowerCase()} reset`
  return `The ${what} ${text.whenText(until, now)}, in ${durationText(secondsUntil(until, now) ?? 0)}, frees it.`
}
