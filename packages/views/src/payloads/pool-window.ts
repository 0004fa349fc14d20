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
  instantSchema,
  optional,
  originSchema,
  percentSchema,
  secondsSchema,
} from './wire-schema.ts'

export const poolWindowSchema = v.object({
  id: v.string(),
  label: optional(
    v.string(),
    'Display name of the window; present only if it contains a name given by the vendor.',
  ),
  state: windowStateSchema,
  percent: v.nullable(percentSchema),
  resetsInSeconds: v.nullable(secondsSchema),
  stale: v.boolean(),
  rolledOver: optional(
    v.boolean(),
    'True if the reset has passed since the reading: the window counts as full, unconfirmed by a new reading. Omitted if false.',
  ),
  notStarted: optional(
    v.boolean(),
    'True if the window is full and starts with the next request. Omitted if false.',
  ),
  origin: optional(
    v.nullable(originSchema),
    'Kind of answer that the reading came from; null without a reading, omitted if the reading is `lastSample`.',
  ),
  sampledAt: optional(
    v.nullable(instantSchema),
    'Time of the reading; null without a reading, omitted if the reading is `lastSample`.',
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
