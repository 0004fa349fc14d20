import {
  type EpochMs,
  type EvaluatedAccount,
  isStale,
  type QuotaWindow,
  resetAtOf,
  secondsUntil,
} from '@svc/core'
import { isMarked } from '@svc/core/account'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import {
  isRolledOver,
  labelOfWindow,
  percentShown,
  windowMarkEntries,
  windowMarks,
} from './quota-window.ts'
import { windowStateSchema } from './resets-tab.ts'
import {
  described,
  instantSchema,
  originSchema,
  percentSchema,
  secondsSchema,
} from './wire-schema.ts'

export const poolWindowSchema = v.object({
  id: v.string(),
  label: v.optional(
    described(
      v.string(),
      "The window as shown, where the vendor's own name for its scope is used.",
    ),
  ),
  state: windowStateSchema,
  percent: v.nullable(percentSchema),
  resetsInSeconds: v.nullable(secondsSchema),
  stale: v.boolean(),
  rolledOver: v.optional(described(v.boolean(), 'As in recommendations; left out where false.')),
  notStarted: v.optional(
    described(
      v.boolean(),
      'Full, and its time begins with the next request; left out where false.',
    ),
  ),
  origin: v.optional(
    described(v.nullable(originSchema), 'Left out where it is that of lastSample.'),
  ),
  sampledAt: v.optional(
    described(v.nullable(instantSchema), 'Left out where it is that of lastSample.'),
  ),
  ...windowMarkEntries,
})

type PoolWindow = v.InferOutput<typeof poolWindowSchema>

interface WindowContext {
  readonly now: EpochMs
  readonly text: Wording
  /** Id of the window whose clock no request has started; null for none. */
  readonly notStartedId: string | null
}

/** A window of an account in the table of all accounts. */
export function poolWindow(
  window: QuotaWindow,
  { lastSample }: Pick<EvaluatedAccount, 'lastSample'>,
  { now, text, notStartedId }: WindowContext,
): PoolWindow {
  const isOfLastSample =
    window.state === 'unknown' ||
    (window.sampledAt === lastSample?.at && window.origin === lastSample.origin)
  return {
    id: window.id,
    label: window.label === undefined ? undefined : labelOfWindow(window, text),
    state: window.state,
    percent: percentShown(window),
    resetsInSeconds: secondsUntil(resetAtOf(window), now),
    stale: isStale(window),
    rolledOver: isRolledOver(window) ? true : undefined,
    notStarted: window.id === notStartedId ? true : undefined,
    origin: isOfLastSample ? undefined : window.origin,
    sampledAt: isOfLastSample ? undefined : text.iso(window.sampledAt),
    ...(isMarked(window) ? windowMarks(window) : {}),
  }
}
