import type { Tone } from '../account/account-status.ts'
import type { HealthAction, ToneAction } from './health-actions.ts'
import type { OpenAction } from './open-action.ts'

export interface ActionCount {
  readonly code: HealthAction['code']
  readonly tone: Tone
  /** Number of affected accounts; 1 for an action that concerns no account. */
  readonly count: number
}

export interface ActionChanges {
  /** Kinds that are new or affect more accounts than before, with their new count. */
  readonly opened: readonly ActionCount[]
  /** Kinds that are gone or affect fewer accounts than before, with the number of accounts gone. */
  readonly resolved: readonly ActionCount[]
}

/** Compares two lists of actions: new work for an operator, and work that is over. */
export function actionChanges(
  before: readonly ToneAction[],
  after: readonly ToneAction[],
): ActionChanges {
  const [earlier, now] = [countsOf(before), countsOf(after)]
  const countIn = (counts: typeof now, code: HealthAction['code']) => counts.get(code)?.count ?? 0
  return {
    opened: [...now.values()].filter(({ code, count }) => count > countIn(earlier, code)),
    resolved: [...earlier.values()].flatMap((kind) => {
      const gone = kind.count - countIn(now, kind.code)
      return gone > 0 ? [{ ...kind, count: gone }] : []
    }),
  }
}

/** Compares two lists of actions one by one: an action is the same while its id is. */
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
