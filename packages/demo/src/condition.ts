import { type Account, type EpochMs, MINUTE_MS, plusMs } from '@svc/core'
import type { Condition } from './example-row.ts'
import { cycleStartOf, latestTick, type MovingWindow, movingResetAt } from './moving-windows.ts'

/** The part of the proxy's account list that shows a condition. */
export type ConditionFields = Pick<
  Account,
  | 'upstreamStatus'
  | 'operatorDisabled'
  | 'unavailable'
  | 'message'
  | 'messageAt'
  | 'nextRetryAt'
  | 'verdict'
>

interface ConditionTime {
  readonly windows: readonly MovingWindow[]
  readonly observedAt: EpochMs
  /** Instant that decides the cycle of the windows. */
  readonly cycleAt: EpochMs
  readonly phaseMs: number
}

/** Cool-down of the proxy after a refused request, and after a network fault. See docs/upstream.md#account-state. */
const REFUSED_COOLDOWN_MS = 30 * MINUTE_MS
const NETWORK_COOLDOWN_MS = MINUTE_MS
/** Refusals in a row after which the rest is longest. */
const RESTING_IN_A_ROW = 5

const HEALTHY: ConditionFields = {
  upstreamStatus: 'active',
  operatorDisabled: false,
  unavailable: false,
  message: { kind: 'none' },
  messageAt: null,
  nextRetryAt: null,
}
const FAILED: ConditionFields = {
  ...HEALTHY,
  upstreamStatus: 'error',
  unavailable: true,
  message: { kind: 'other' },
}

/** The proxy's list entry for an account in this condition at `observedAt`. */
export function conditionFieldsAt(condition: Condition, time: ConditionTime): ConditionFields {
  /** An instant that stays fixed for `everyMinutes`; its age is always between `agoMin` and `agoMin + everyMinutes`. */
  const since = (agoMin: number, everyMinutes: number) =>
    latestTick(plusMs(time.observedAt, -agoMin * MINUTE_MS), everyMinutes * MINUTE_MS, time.phaseMs)

  switch (condition) {
    case 'active':
    case 'spend_reached':
      return HEALTHY
    case 'disabled':
      return { ...HEALTHY, upstreamStatus: 'disabled', operatorDisabled: true }
    case 'pending':
      return { ...HEALTHY, upstreamStatus: 'pending' }
    case 'degraded':
      return { ...FAILED, unavailable: false, messageAt: since(3, 20) }
    case 'unavailable':
      return { ...FAILED, messageAt: since(3, 45) }
    case 'ready_unproven': {
      const nextRetryAt = since(2, 10)
      return { ...FAILED, messageAt: plusMs(nextRetryAt, -NETWORK_COOLDOWN_MS), nextRetryAt }
    }
    case 'retry_after': {
      const messageAt = since(1, 24)
      return {
        ...FAILED,
        message: { kind: 'blocked' },
        messageAt,
        nextRetryAt: plusMs(messageAt, REFUSED_COOLDOWN_MS),
      }
    }
    case 'cooldown':
      return { ...FAILED, message: { kind: 'quota' }, messageAt: since(2, 10) }
    case 'resting': {
      const message = { kind: 'quota' } as const
      const [at, inARow] = [since(1, 13), RESTING_IN_A_ROW]
      return { ...HEALTHY, verdict: { origin: 'record', at, message, retryAt: null, inARow } }
    }
    case 'plan_used_up': {
      const messageAt = since(2, 25)
      return {
        ...FAILED,
        message: { kind: 'quota', planUsedUp: true },
        messageAt,
        nextRetryAt: plusMs(messageAt, REFUSED_COOLDOWN_MS),
      }
    }
    case 'login_refused':
      return {
        ...FAILED,
        message: { kind: 'auth_fault', code: 'unauthorized', deactivated: false, suspected: true },
        messageAt: since(40, 60),
      }
    case 'auth_invalid':
      return {
        ...FAILED,
        message: { kind: 'auth_fault', code: 'auth_unavailable', deactivated: false },
        messageAt: since(40, 60),
      }
    case 'deactivated':
      return {
        ...FAILED,
        message: { kind: 'auth_fault', code: 'deactivated_workspace', deactivated: true },
        messageAt: since(120, 1440),
      }
    case 'used_up':
      return usedUpFields(time)
    default:
      return condition satisfies never
  }
}

/** The usage-limit error occurred at the start of the used-up window's cycle and holds until that window resets. */
function usedUpFields({ windows, cycleAt, phaseMs }: ConditionTime): ConditionFields {
  const window = windows.find(({ percent }) => percent[0] === 0)
  if (window === undefined) throw new Error('an account that is used up needs a window at 0')
  const hitAt = cycleStartOf(window, cycleAt, phaseMs)
  const resetAt = movingResetAt(window, cycleAt, phaseMs)
  return {
    ...FAILED,
    message: { kind: 'usage_limit', resetsAt: resetAt, observedAt: hitAt },
    messageAt: hitAt,
    nextRetryAt: resetAt,
  }
}
