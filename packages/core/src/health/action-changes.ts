import type { Tone } from '../account/account-status.ts'
import type { HealthAction, ToneAction } from './health-actions.ts'

/** Trouble of one kind. */
export interface ActionCount {
  readonly code: HealthAction['code']
  readonly tone: Tone
  /** Accounts that have it; 1 where it is about none. */
  readonly count: number
}

/** What two lists of actions differ in. */
export interface ActionChanges {
  /** Kinds that are new, or have more accounts than before, with how many there are now. */
  readonly opened: readonly ActionCount[]
  /** Kinds that are gone, or have fewer accounts than before, with how many are gone. */
  readonly resolved: readonly ActionCount[]
}

/** What an operator must newly act on, and what no longer. */
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
