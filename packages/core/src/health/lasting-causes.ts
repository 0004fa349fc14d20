import type { EpochMs } from '../facts/time.ts'
import type { ToneAction } from './health-actions.ts'
import { actionIdOf } from './open-action.ts'

/** A cause that must last before it asks for anything, and is waited for before it no longer does. */
export interface LastingCause {
  /** Names what it is about, the same in every evaluation. */
  readonly id: string
  /** What it asks for, as it was last found. */
  readonly found: ToneAction
  readonly firstAt: EpochMs
  readonly lastAt: EpochMs
  /** It has lasted, and the action shows. */
  readonly isOpen: boolean
}

/** A cause shows once it has lasted this long ... */
const OPENS_AFTER_MS = 60_000
/** ... and no longer once it has been gone this long. See docs/rules.md#health. */
const CLOSES_AFTER_MS = 5 * 60_000

/** The causes that are there now or were a moment ago. `previous` are those of the last evaluation. */
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
    // A clock that was set back is no reason to wait longer.
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

/** An action of which it is known when its cause was first seen. */
export type DatedAction = ToneAction & { readonly since: EpochMs }

/** What the causes that have lasted ask for. */
export function openCauses(causes: readonly LastingCause[]): readonly DatedAction[] {
  return causes
    .filter(({ isOpen }) => isOpen)
    .map(({ found, firstAt }) => ({ ...found, since: firstAt }))
}
