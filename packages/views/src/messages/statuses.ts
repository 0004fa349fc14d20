import {
  type AccountStatus,
  type EpochMs,
  type EvaluatedAccount,
  resetAtOf,
  secondsUntil,
} from '@svc/core'
import { accountFaultOf } from '@svc/core/service'
import type { Wording } from './wording.ts'

/** From here on a bare clock time would name the wrong day. See docs/rules.md#account-status. */
const CLOCK_ALONE_SECONDS_MAX = 24 * 3600

/** What an account's state is called, as in `Active` or `Retry after 21:12`. */
export function statusLabel(status: AccountStatus, now: EpochMs, text: Wording): string {
  const { names, retryAfter } = text.words.statuses
  const seconds = secondsUntil(status.until, now)
  if (status.kind !== 'retry_after' || status.until === null || seconds === null)
    return names[status.kind]
  return retryAfter(
    seconds > CLOCK_ALONE_SECONDS_MAX ? text.dateText(status.until) : text.clockText(status.until),
  )
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

/** What the state means for the operator, and what to do if anything. */
export function statusAdvice(account: EvaluatedAccount, now: EpochMs, text: Wording): string {
  const { kind, until } = account.status
  const { actions, statuses } = text.words
  const { advice } = statuses
  switch (kind) {
    case 'active':
      return advice.active
    case 'disabled': {
      const fault = accountFaultOf(account)
      return advice.disabled(fault === null ? null : actions[fault.code].remedy)
    }
    // What Health says of the same account, word for word.
    case 'auth_invalid':
    case 'deactivated':
    case 'quota_hit':
      return actions[kind].remedy
    case 'unavailable':
      return actions.account_unavailable.remedy
    case 'reset_scheduled':
      return until === null ? advice.someReset : resetSentence(account, until, now, text)
    case 'retry_after':
      return advice.heldBack(until === null ? null : text.momentText(until, now))
    case 'cooldown':
      return advice.cooldown
    case 'ready_unproven':
      return advice.readyUnproven
    case 'degraded':
      return advice.degraded
    case 'pending':
    case 'refreshing':
      return advice.unproven
    case 'unknown_status':
      return advice.unknownStatus
    case 'message':
      return advice.message
    default:
      return kind satisfies never
  }
}

/** Names the window only when its reset is the one that frees the account. */
function resetSentence(
  account: EvaluatedAccount,
  until: EpochMs,
  now: EpochMs,
  text: Wording,
): string {
  const freeing = account.windows.find(
    (window) => window.state === 'exhausted' && resetAtOf(window) === until,
  )
  return text.words.statuses.advice.reset({
    windowId: freeing?.id ?? null,
    when: text.whenText(until, now),
    duration: text.durationText(secondsUntil(until, now) ?? 0),
  })
}
