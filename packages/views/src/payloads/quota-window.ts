import {
  type EpochMs,
  type EvaluatedAccount,
  type QuotaWindow as EvaluatedWindow,
  isStale,
  percentOf,
  type ReadingNote,
  resetAtOf,
  secondsUntil,
} from '@svc/core'
import { isMarked, RECLAIM_PERCENT_MIN, RECLAIM_RESET_SECONDS_MAX } from '@svc/core/account'
import * as v from 'valibot'
import { percentText } from '../format/format.ts'
import { isAmount } from '../messages/names/names.ts'
import type { Wording } from '../messages/wording.ts'
import {
  described,
  instantSchema,
  optional,
  originSchema,
  percentSchema,
  secondsSchema,
  windowIdSchema,
  windowStateSchema,
} from './wire-schema.ts'

/** Marks of a window; omitted where they do not apply. */
export const windowMarkEntries = {
  reported: optional(
    v.boolean(),
    'False if the vendor reports no such limit for this account, as opposed to a limit not read yet. Omitted otherwise.',
  ),
  note: optional(
    v.picklist(['derived', 'sources_disagree'] as const satisfies readonly ReadingNote[]),
    'Remark on the reading. `derived`: the vendor sent no figure, which counts as 0. `sources_disagree`: two figures of the vendor differ; the higher use counts.',
  ),
  models: optional(
    v.array(v.string()),
    'Models that this window limits, if it does not limit the whole account; omitted if the vendor names none.',
  ),
  blocksNothing: optional(
    v.boolean(),
    'True if the vendor serves requests although the window is used up. Omitted otherwise.',
  ),
}

export function windowMarks(window: EvaluatedWindow) {
  const { note, models, blocksNothing } = window
  return {
    reported: window.state === 'unknown' ? window.reported : undefined,
    note,
    models: models === undefined ? undefined : [...models],
    blocksNothing,
  }
}

export function labelOfWindow({ id, label }: EvaluatedWindow, { words }: Wording): string {
  return words.windowLabel(id, label)
}

const windowReadingEntries = {
  rolledOver: optional(
    v.boolean(),
    'True if the reset has passed since the reading: the window counts as full, unconfirmed by a new reading.',
  ),
  origin: optional(
    v.nullable(originSchema),
    'Kind of answer that the reading came from; null if there is no reading.',
  ),
  sampledAt: optional(
    v.nullable(instantSchema),
    'Time of the reading; null if there is no reading.',
  ),
}

export const quotaWindowSchema = described(
  v.object({
    id: described(
      windowIdSchema,
      'Id of the window: `5h`, `week`, or the id of another window of the account.',
    ),
    label: v.string(),
    state: windowStateSchema,
    percent: described(
      v.nullable(percentSchema),
      'Percent remaining; null if unknown or absent, or if a spending limit is used up and has no known reset.',
    ),
    resetAt: v.nullable(instantSchema),
    resetsInSeconds: v.nullable(secondsSchema),
    remainingText: v.nullable(v.string()),
    stale: v.boolean(),
    ...windowReadingEntries,
    ...windowMarkEntries,
  }),
  'One quota window of an account: what is left, when it resets, and how the reading was obtained.',
)

export const reclaimWindowSchema = described(
  v.object({
    id: v.string(),
    label: v.optional(v.string()),
    percent: percentSchema,
    resetsInSeconds: secondsSchema,
  }),
  `Healthy 5h window with at least ${RECLAIM_PERCENT_MIN} % left that resets within ${RECLAIM_RESET_SECONDS_MAX / 60} minutes; its quota is worth spending first.`,
)

/** A window of an account as sent to wrappers. `percent` is percent left; null if unknown. */
export type QuotaWindow = v.InferOutput<typeof quotaWindowSchema>
export function quotaWindowView(window: EvaluatedWindow, now: EpochMs, text: Wording): QuotaWindow {
  const resetAt = resetAtOf(window)
  return {
    id: window.id,
    label: labelOfWindow(window, text),
    state: window.state,
    percent: percentShown(window),
    resetAt: resetAt === null ? null : text.iso(resetAt),
    resetsInSeconds: secondsUntil(resetAt, now),
    remainingText: windowRemainingText(window, now, text),
    stale: isStale(window),
    rolledOver: isRolledOver(window),
    origin: window.state === 'unknown' ? null : window.origin,
    sampledAt: window.state === 'unknown' ? null : text.iso(window.sampledAt),
    ...(isMarked(window) ? windowMarks(window) : {}),
  }
}

/** Percent left; null if unknown, or for a used-up amount without a reset and percent from the vendor. */
export function percentShown(window: EvaluatedWindow): number | null {
  return isReachedAmount(window) ? null : percentOf(window)
}

function isReachedAmount(window: EvaluatedWindow): boolean {
  return window.state === 'exhausted' && window.resetAt === null && isAmount(window.id)
}

/** True if the reset has passed without a newer reading: the window should be full, but that is unproven. */
export function isRolledOver(window: EvaluatedWindow): boolean {
  return window.state === 'known' && window.rolledOverAt !== null
}

/** Time to the window's reset as text; null without a reset, and a plain word if the reset has passed without a newer reading. */
export function windowRemainingText(
  window: EvaluatedWindow,
  now: EpochMs,
  text: Wording,
): string | null {
  if (isRolledOver(window)) return text.words.pool.rolledOver
  const seconds = secondsUntil(resetAtOf(window), now)
  return seconds === null ? null : text.durationText(seconds)
}

/** Quota left as text: `74%`, `unknown` without a reading, `–` if the plan lacks the window, or a word of its own for a used-up amount. */
export function windowPercentText(window: EvaluatedWindow, { words }: Wording): string {
  if (window.state === 'unknown')
    return window.reported === false ? words.pool.notReported : words.pool.unknown
  if (isReachedAmount(window)) return words.pool.amountReached
  return window.state === 'absent' ? '–' : percentText(window.percent)
}

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
    'Kind of answer that the reading came from; null if there is no reading, omitted if the reading is `lastSample`.',
  ),
  sampledAt: optional(
    v.nullable(instantSchema),
    'Time of the reading; null if there is no reading, omitted if the reading is `lastSample`.',
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
  window: EvaluatedWindow,
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
