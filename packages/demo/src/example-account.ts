import {
  type Account,
  type AccountEvidence,
  DAY_MS,
  type EpochMs,
  epochMs,
  MINUTE_MS,
  plusMs,
  type RequestSlot,
} from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { Condition, ExampleRow } from './example-row.ts'
import { cycleStartOf, latestTick, type MovingWindow, movingResetAt } from './moving-windows.ts'
import { evidenceAt, windowPhaseMs } from './sampling.ts'

/** The part of the proxy's account list that shows a condition. */
type ConditionFields = Pick<
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
  /** Instant whose window cycles apply. */
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
function conditionFieldsAt(condition: Condition, time: ConditionTime): ConditionFields {
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

/**
 * Number and length of the slots in which the proxy counts: 20 slots of 10 minutes, aligned to whole 10 minutes. See
 * docs/upstream.md#recent-requests.
 */
const SLOT_COUNT = 20
export const SLOT_MS = 600_000

interface Traffic {
  /** Mean number of requests in a full slot. */
  readonly requestsPerSlot: number
  /** Share of the requests that fail, 0..1. */
  readonly failedRatio: number
  /** Makes the traffic of two accounts differ. */
  readonly phaseMs: number
  /** Instant after which no request ended. */
  readonly until: EpochMs
}

/** The newest slots at `observedAt`, oldest first. A past slot never changes; the current one grows by the minute. */
function requestSlotsAt(observedAt: EpochMs, traffic: Traffic): readonly RequestSlot[] {
  const newest = Math.floor(observedAt / SLOT_MS)
  return Array.from({ length: SLOT_COUNT }, (_, index) =>
    requestSlotOf(newest - SLOT_COUNT + 1 + index, traffic),
  )
}

/** Latest instant by which the last successful request had ended; null if no slot has one. */
function lastSuccessIn(slots: readonly RequestSlot[], until: EpochMs): EpochMs | null {
  const slot = slots.findLast(({ success }) => success > 0)
  return slot === undefined ? null : epochMs(Math.min(slot.startAt + SLOT_MS, until))
}

/** The slot that starts `number` slots after 1970, with the requests up to `traffic.until`. */
export function requestSlotOf(number: number, traffic: Traffic): RequestSlot {
  const startAt = epochMs(number * SLOT_MS)
  const workedMs = Math.max(0, Math.min(SLOT_MS, traffic.until - startAt))
  const workedShare = (Math.floor(workedMs / MINUTE_MS) * MINUTE_MS) / SLOT_MS
  const requests = Math.floor(
    traffic.requestsPerSlot * (0.6 + 0.8 * scatter(number + traffic.phaseMs)) * workedShare,
  )
  const failed = Math.ceil(requests * traffic.failedRatio)
  return { startAt, success: requests - failed, failed }
}

/** A pseudo-random number 0..1 derived from `seed`. */
export function scatter(seed: number): number {
  const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d)
  return ((mixed ^ (mixed >>> 12)) >>> 0) / 0x1_0000_0000
}

interface ExampleAccount {
  readonly account: Account
  /** Evidence of the account; null if it was never queried. */
  readonly evidence: AccountEvidence | null
}

/** An account of the pool at `now`, listed by the proxy at `observedAt`. */
export function exampleAccountAt(
  row: ExampleRow,
  { now, observedAt }: { readonly now: EpochMs; readonly observedAt: EpochMs },
): ExampleAccount {
  const phaseMs = windowPhaseMs(row)
  const evidence = evidenceAt(row, now)
  // List and newest sample must show the same cycle of a window.
  const cycleAt = evidence?.samples[0]?.sampledAt ?? observedAt
  const fields = conditionFieldsAt(row.condition, {
    windows: row.windows,
    observedAt,
    cycleAt,
    phaseMs,
  })
  // A fault ended the account's requests; only a degraded account goes on with its other models.
  const faultAt = fields.messageAt ?? fields.verdict?.at ?? null
  const until = row.condition === 'degraded' || faultAt === null ? observedAt : faultAt
  const recentRequests = requestSlotsAt(observedAt, {
    requestsPerSlot: row.requestsPerSlot,
    failedRatio: row.failedRatio ?? 0,
    phaseMs,
    until,
  })
  const { provider } = row

  return {
    account: {
      provider,
      upstream: DEFAULT_UPSTREAM,
      selector: { authName: row.authName, authIndex: row.authIndex, accountKey: row.accountKey },
      title: row.title,
      email: null,
      vendorAccountId: null,
      // Only the logins of Codex name a plan and its end.
      claimedPlan: provider === 'codex' ? (row.claimedPlan ?? row.plan) : null,
      subscribedUntil: provider === 'codex' ? subscribedUntil(row, observedAt, phaseMs) : null,
      ...fields,
      modifiedAt: latestTick(plusMs(observedAt, -2 * DAY_MS), DAY_MS, phaseMs),
      lastSuccessAt: lastSuccessIn(recentRequests, until),
      recentRequests,
    },
    evidence: evidence && { ...evidence, ...bankedResets(row, evidence, observedAt) },
  }
}

/** Resets that the account's owner may spend; their days are those of `bankedInDays` ahead or one less. */
function bankedResets(
  { bankedInDays = [] }: ExampleRow,
  { samples }: AccountEvidence,
  at: EpochMs,
): Pick<AccountEvidence, 'bankedResets'> {
  const sampledAt = samples[0]?.sampledAt
  if (bankedInDays.length === 0 || sampledAt === undefined) return {}
  const expiresAt = bankedInDays.map((days) => plusMs(latestTick(at, DAY_MS, 0), days * DAY_MS))
  return { bankedResets: { count: expiresAt.length, sampledAt, expiresAt } }
}

const MONTHLY_PLANS: ReadonlySet<string | null> = new Set(['plus', 'pro', 'prolite', 'go', 'team'])
/**
 * Days left in a paid month at its renewal, and the time between two renewals. No month except those with `isPaidBriefly` therefore ends within a
 * week.
 */
const RENEWAL_DAYS = 8
const MONTH_MS = 22 * DAY_MS

/** End of the paid month; a deactivated account's month ended some days ago. Null for plans that are not paid by the month. */
function subscribedUntil(row: ExampleRow, at: EpochMs, phaseMs: number): EpochMs | null {
  if (!MONTHLY_PLANS.has(row.plan)) return null
  if (row.condition === 'deactivated') return plusMs(latestTick(at, DAY_MS, phaseMs), -9 * DAY_MS)
  if (row.isPaidBriefly) return plusMs(latestTick(at, DAY_MS, phaseMs), 4 * DAY_MS)
  // Phases of windows differ by hours only, so without this spread every month would end on the same day.
  const spread = (Number.parseInt(row.accountKey.slice(0, 4), 16) % 22) * DAY_MS
  return plusMs(latestTick(at, MONTH_MS, phaseMs + spread), MONTH_MS + RENEWAL_DAYS * DAY_MS)
}
