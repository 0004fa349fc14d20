import { type EpochMs, type EvaluatedAccount, resetAtOf, secondsUntil } from '@svc/core'
import { blockedModelsOf, namingBlockOf } from '@svc/core/account'
import { accountFaultOf } from '@svc/core/health'
import type { UnservedModels } from './en/statuses.ts'
import { stateWord } from './names/names.ts'
import type { Wording } from './wording.ts'

/** Name of an account's state, such as `Active` or `5h quota used up`. */
export function statusLabel(account: EvaluatedAccount, { words }: Wording): string {
  return stateWord(account.status.kind, namingBlockOf(account)?.slug, words.statuses)
}

/** Sign of a state: its tone, or `wait` for states that pass by themselves and `off` for states chosen by the operator. */
export function statusSign(account: EvaluatedAccount): StatusSign {
  const fault = accountFaultOf(account)
  // The same tone as in Health.
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

/** Meaning of the state for the operator, and the remedy if there is one. */
export function statusAdvice(account: EvaluatedAccount, now: EpochMs, text: Wording): string {
  const { kind, until } = account.status
  const { actions, statuses } = text.words
  const { advice } = statuses
  switch (kind) {
    case 'active':
    case 'degraded': {
      const unserved = unservedModels(account, now, text)
      if (unserved.length === 0) return advice[kind]
      return kind === 'active' ? advice.readyBut(unserved) : advice.degradedBut(unserved)
    }
    case 'disabled': {
      const fault = accountFaultOf(account)
      return advice.disabled(fault === null ? null : actions[fault.code].remedy)
    }
    // The same words as in Health.
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
      return until === null ? advice.cooldown : advice.resting(text.momentText(until, now))
    case 'ready_unproven':
      return advice.readyUnproven
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

/** Models named by the vendor that the account cannot serve now. */
function unservedModels(
  account: EvaluatedAccount,
  now: EpochMs,
  text: Wording,
): readonly UnservedModels[] {
  return blockedModelsOf(account).flatMap(({ label, models, until }) => {
    const named = models?.join(', ') ?? label
    if (named === null) return []
    return [{ models: named, until: until === null ? null : text.momentText(until, now) }]
  })
}

/** Sentence on the reset that frees the account; names its window only if that window's own reset does so. */
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
