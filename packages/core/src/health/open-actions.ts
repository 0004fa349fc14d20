import type { Tone } from '../account/account-status.ts'
import { ASSUMED_PROVIDER } from '../facts/provider.ts'
import { type EpochMs, epochMs, MINUTE_MS } from '../facts/time.ts'
import type { StandingAction } from '../pool/evaluated-pool.ts'
import type { HealthAction, ToneAction } from './health-actions.ts'

/** An action in the list of open actions. */
export interface OpenAction extends ToneAction {
  /** Identifies the action within the list, the same in every evaluation while it is open. */
  readonly id: string
  /** Start of the cause if known, else the time this or an earlier process first saw it. Never moves later between evaluations. */
  readonly since: EpochMs
}

/** An action that an earlier process left open and that was not found again. */
export interface LeftAction extends StandingAction {
  /** Time until which its cause may still be found again; omitted before the first round has ended. */
  readonly until?: EpochMs
}

/**
 * Time after a start in which an action left open by an earlier process does not end, because some causes take minutes to be found (`usage_failing`
 * five).
 */
export const REOPENS_WITHIN_MS = 6 * MINUTE_MS

export function stillLeft(
  left: readonly LeftAction[],
  open: readonly OpenAction[],
  now: EpochMs,
): readonly LeftAction[] {
  const found = new Set(open.map(({ id }) => id))
  return left
    .map((action) => ({
      ...action,
      until: epochMs(Math.min(action.until ?? Number.POSITIVE_INFINITY, now + REOPENS_WITHIN_MS)),
    }))
    .filter(({ id, until }) => !found.has(id) && now < until)
}

/** Gives each action its id and its start. `previous`: actions of the last evaluation and those an earlier process left open. */
export function openActions(
  actions: readonly ToneAction[],
  previous: readonly StandingAction[],
  now: EpochMs,
): readonly OpenAction[] {
  const sinceById = new Map(previous.map(({ id, since }) => [id, since]))
  const used = new Map<string, number>()
  return actions.map(({ tone, action, since: seenAt, upstream }) => {
    const base = upstream === undefined ? actionIdOf(action) : `${actionIdOf(action)}@${upstream}`
    const times = (used.get(base) ?? 0) + 1
    used.set(base, times)
    // Two files of one account share the account's key.
    const id = times === 1 ? base : `${base}:${times}`
    const since = earlier('since' in action ? action.since : (seenAt ?? now), sinceById.get(id))
    return { id, tone, action, since, ...(upstream === undefined ? {} : { upstream }) }
  })
}

/** Identifies the subject of an action: its code, plus its only account, its provider and window, or its target. */
function actionIdOf(action: HealthAction): string {
  const isNamed = 'provider' in action && action.provider !== ASSUMED_PROVIDER
  const provider = isNamed ? `:${action.provider}` : ''
  if ('windowId' in action) return `${action.code}${provider}:${action.windowId}`
  if (provider !== '') return `${action.code}${provider}`
  if ('target' in action) return `${action.code}:${action.target}`
  const [first, ...others] = 'accounts' in action ? action.accounts : []
  return first === undefined || others.length > 0
    ? action.code
    : `${action.code}:${first.accountKey}`
}

function earlier(at: EpochMs, other: EpochMs | undefined): EpochMs {
  return other !== undefined && other < at ? other : at
}

/** A cause that opens an action only after it has lasted, and closes it only after it has been gone for a while. */
export interface LastingCause {
  /** Identifies the subject of the action, the same in every evaluation. */
  readonly id: string
  readonly found: ToneAction
  readonly firstAt: EpochMs
  readonly lastAt: EpochMs
  /** Whether the cause has lasted long enough to show its action. */
  readonly isOpen: boolean
}

/** Time a cause must last before its action opens. See docs/rules.md#health. */
const OPENS_AFTER_MS = 60_000
/** Time a cause must be gone before its action closes. See docs/rules.md#health. */
const CLOSES_AFTER_MS = 5 * 60_000

/** Causes present now, and open ones gone for less than `CLOSES_AFTER_MS`. `previous`: causes of the last evaluation. */
export function lastingCauses(
  found: readonly ToneAction[],
  previous: readonly LastingCause[],
  now: EpochMs,
): readonly LastingCause[] {
  const before = new Map(previous.map((cause) => [cause.id, cause]))
  const present = found.map((action): LastingCause => {
    const id = actionIdOf(action.action)
    const earlier = before.get(id)
    before.delete(id)
    // Prevents a clock that was set back from prolonging the wait.
    const firstAt = earlier === undefined || earlier.firstAt > now ? now : earlier.firstAt
    const isOpen = earlier?.isOpen === true || now - firstAt >= OPENS_AFTER_MS
    return { id, found: action, firstAt, lastAt: now, isOpen }
  })
  const gone = [...before.values()].flatMap((cause): LastingCause[] => {
    const lastAt = cause.lastAt > now ? now : cause.lastAt
    return cause.isOpen && now - lastAt < CLOSES_AFTER_MS ? [{ ...cause, lastAt }] : []
  })
  return [...present, ...gone]
}

export type DatedAction = ToneAction & { readonly since: EpochMs }

export function openCauses(causes: readonly LastingCause[]): readonly DatedAction[] {
  return causes
    .filter(({ isOpen }) => isOpen)
    .map(({ found, firstAt }) => ({ ...found, since: firstAt }))
}

interface ActionCount {
  readonly code: HealthAction['code']
  readonly tone: Tone
  /** Number of affected accounts; 1 for an action that concerns no account. */
  readonly count: number
}

/** Compares two lists of actions by code: new work for an operator, and finished work. */
export function actionChanges(before: readonly ToneAction[], after: readonly ToneAction[]) {
  const [earlier, now] = [countsOf(before), countsOf(after)]
  const countIn = (counts: typeof now, code: HealthAction['code']) => counts.get(code)?.count ?? 0
  return {
    /** Codes that are new or affect more accounts than before, with their new count. */
    opened: [...now.values()].filter(({ code, count }) => count > countIn(earlier, code)),
    /** Codes that are gone or affect fewer accounts than before, with the number of accounts gone. */
    resolved: [...earlier.values()].flatMap((kind) => {
      const gone = kind.count - countIn(now, kind.code)
      return gone > 0 ? [{ ...kind, count: gone }] : []
    }),
  }
}

/** Compares two lists of actions by id. */
export function actionTransitions(
  before: readonly OpenAction[],
  after: readonly OpenAction[],
): { readonly opened: readonly OpenAction[]; readonly resolved: readonly OpenAction[] } {
  const without = (actions: readonly OpenAction[], others: readonly OpenAction[]) => {
    const ids = new Set(others.map(({ id }) => id))
    return actions.filter(({ id }) => !ids.has(id))
  }
  return { opened: without(after, before), resolved: without(before, after) }
}

function countsOf(actions: readonly ToneAction[]): ReadonlyMap<HealthAction['code'], ActionCount> {
  const counts = new Map<HealthAction['code'], ActionCount>()
  for (const { tone, action } of actions) {
    const count = 'accounts' in action ? action.accounts.length : 1
    counts.set(action.code, {
      code: action.code,
      tone,
      count: (counts.get(action.code)?.count ?? 0) + count,
    })
  }
  return counts
}
