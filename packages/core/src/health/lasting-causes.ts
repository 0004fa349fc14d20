import type { EpochMs } from '../facts/time.ts'
import type { ToneAction } from './health-actions.ts'
import { actionIdOf } from './open-action.ts'

/** A cause that opens an action only after it has lasted, and closes it only after it has been gone for a while. */
export interface LastingCause {
  /** Identifies the subject of the action, the same in every evaluation. */
  readonly id: string
  readonly found: ToneAction
  readonly firstAt: EpochMs
  readonly lastAt: EpochMs
  /** Whether the cause has lasted, so that its action shows. */
  readonly isOpen: boolean
}

/** A cause opens its action once it has lasted this long ... */
const OPENS_AFTER_MS = 60_000
/** ... and closes it once it has been gone this long. See docs/rules.md#health. */
const CLOSES_AFTER_MS = 5 * 60_000

/** Causes found now or a short time ago. `previous` are the causes of the last evaluation. */
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
