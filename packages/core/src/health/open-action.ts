import { type EpochMs, epochMs, MINUTE_MS } from '../facts/time.ts'
import type { StandingAction } from '../pool/evaluated-pool.ts'
import type { HealthAction, ToneAction } from './health-actions.ts'

/** An action in the list of open actions. */
export interface OpenAction extends ToneAction {
  /** Identifies the action within the list, the same in every evaluation while it is open. */
  readonly id: string
  /** Time the cause began if known, else the time it was first seen, by this process or those before it. Never moves later from one evaluation to the next. */
  readonly since: EpochMs
}

/** An action that an earlier process left open and that was not found again. */
export interface LeftAction extends StandingAction {
  /** Time until which it may still be found; left out before the first round has ended. */
  readonly until?: EpochMs
}

/** Some causes open their action only minutes after a start, `usage_failing` after five; until then an action that an earlier process left open has not ended. */
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

/** Gives each action its id and the time since which it has been open. `previous` are the actions of the last evaluation, and those left open. */
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
    const since = earlier(beganAt(action) ?? seenAt ?? now, sinceById.get(id))
    return { id, tone, action, since, ...(upstream === undefined ? {} : { upstream }) }
  })
}

/** Identifies the subject of an action: its code, with its account if it concerns exactly one, with its provider and window, or with its target. */
export function actionIdOf(action: HealthAction): string {
  const provider = 'provider' in action ? `:${action.provider}` : ''
  if ('windowId' in action) return `${action.code}${provider}:${action.windowId}`
  if (provider !== '') return `${action.code}${provider}`
  if ('target' in action) return `${action.code}:${action.target}`
  const [first, ...others] = 'accounts' in action ? action.accounts : []
  return first === undefined || others.length > 0
    ? action.code
    : `${action.code}:${first.accountKey}`
}

/** Time the cause of an action began; null if the action does not say. */
function beganAt(action: HealthAction): EpochMs | null {
  return 'since' in action ? action.since : null
}

function earlier(at: EpochMs, other: EpochMs | undefined): EpochMs {
  return other !== undefined && other < at ? other : at
}
