import {
  type HealthAction,
  instantToIso,
  type MainWindowId,
  type PerWindow,
  type Snapshot,
  secondsUntil,
  type Tone,
  type WindowId,
} from '@svc/core'
import {
  isLowerBound,
  isLowShare,
  isUsableUnknown,
  isWhollyUnknown,
  type WindowCapacity,
} from '@svc/core/pool'
import { ASSUMED_PROVIDER, isMainWindowId } from '@svc/core/service'
import * as v from 'valibot'
import { capacityTexts, roundedUnits, unitsText, wholeUnitsText } from '../format/format.ts'
import type { Catalogue } from '../messages/en/catalogue.ts'
import type { Wording } from '../messages/wording.ts'
import {
  countSchema,
  described,
  instantSchema,
  isoOrNull,
  optional,
  percentSchema,
  toneSchema,
  unitsSchema,
} from './wire-schema.ts'

const capacityFiguresSchema = described(
  v.object({
    knownUnits: described(unitsSchema, 'Units known to be left, including stale readings.'),
    usableUnits: optional(unitsSchema, 'Part of `knownUnits` on routable accounts.'),
    heldUnits: optional(
      unitsSchema,
      'Part of `knownUnits` on blocked accounts: `knownUnits` − `usableUnits`.',
    ),
    trackedUnits: described(unitsSchema, 'Units of all windows when full.'),
    unknownUnits: unitsSchema,
    staleUnits: unitsSchema,
    usableStaleUnits: optional(
      unitsSchema,
      'Part of `usableUnits` from stale readings; omitted if equal to `staleUnits`.',
    ),
    percent: described(
      v.nullable(percentSchema),
      '`knownUnits` in percent of `trackedUnits`; null if nothing is tracked or more than a fifth of it is unknown.',
    ),
    usablePercent: optional(
      v.nullable(percentSchema),
      '`usableUnits` in percent of `trackedUnits`; null if `percent` is null. Omitted if no units are held.',
    ),
    atLeast: optional(
      v.boolean(),
      'True if more than a fifth of the tracked units is unknown, so that `knownUnits` is a lower bound.',
    ),
  }),
  'Quota left in one window of the pool, in units of the provider. For Codex, 1 unit is one full window of a Plus account.',
)

export const capacitySchema = described(
  v.object({ ...capacityFiguresSchema.entries, tone: toneSchema, text: v.string() }),
  'Quota left in one window of the pool, in units of the provider. For Codex, 1 unit is one full window of a Plus account.',
)

/** Contract name of each window, and the action raised while the pool is below the operator's minimum for it. */
export const wireWindows = {
  '5h': { name: 'fiveHour', alert: 'five_hour_below_minimum' },
  week: { name: 'week', alert: 'weekly_below_minimum' },
} as const satisfies PerWindow<{
  readonly name: string
  readonly alert: HealthAction['code'] | null
}>
type WireWindow = (typeof wireWindows)[MainWindowId]

export const poolCapacitySchema = described(
  v.object({
    fiveHour: capacityFiguresSchema,
    week: capacityFiguresSchema,
  } satisfies Record<WireWindow['name'], unknown>),
  'Quota left in the pool.',
)

export const nextReturnSchema = described(
  v.object({ at: instantSchema, units: unitsSchema, account: v.string(), text: v.string() }),
  'Next reset that returns quota to the pool.',
)

export type Capacity = v.InferOutput<typeof capacitySchema>
export type NextReturn = v.InferOutput<typeof nextReturnSchema>

/** Quota left in one window, as numbers and text. */
export function capacityView(
  capacity: WindowCapacity<WindowId>,
  snapshot: Snapshot,
  { words }: Wording,
): Capacity {
  return {
    ...capacityFigures(capacity),
    tone: capacityTone(capacity, snapshot),
    text: capacityText(capacity, snapshot, words),
  }
}

/** Quota left in both windows, as numbers only. */
export function poolCapacityView({
  capacity,
}: Pick<Snapshot, 'capacity'>): v.InferOutput<typeof poolCapacitySchema> {
  return { fiveHour: capacityFigures(capacity['5h']), week: capacityFigures(capacity.week) }
}

/** Quota left in one window, as numbers only. `percent` is null if nothing is tracked or too much is unknown. */
export function capacityFigures(
  capacity: WindowCapacity<WindowId>,
): v.InferOutput<typeof capacityFiguresSchema> {
  const { knownUnits, usableUnits, heldUnits, trackedUnits, unknownUnits } = capacity
  const { staleUnits, usableStaleUnits } = capacity
  const atLeast = isLowerBound(capacity)
  const percentOf = (units: number) =>
    trackedUnits === 0 || atLeast
      ? null
      : Math.min(100, Math.round((units / trackedUnits) * 1000) / 10)
  return {
    ...leftUnitsView(capacity),
    trackedUnits: roundedUnits(trackedUnits),
    unknownUnits: roundedUnits(unknownUnits),
    staleUnits: roundedUnits(staleUnits),
    ...(usableStaleUnits < staleUnits && { usableStaleUnits: roundedUnits(usableStaleUnits) }),
    percent: percentOf(knownUnits),
    ...(heldUnits > 0 && { usablePercent: percentOf(usableUnits) }),
    ...(atLeast && { atLeast }),
  }
}

/** Rounded quota left and its two parts. The parts add up exactly, because held is computed from the rounded values. */
export function leftUnitsView(
  capacity: Pick<WindowCapacity, 'knownUnits' | 'usableUnits'>,
): Readonly<Record<'knownUnits' | 'usableUnits' | 'heldUnits', number>> {
  const knownUnits = roundedUnits(capacity.knownUnits)
  const usableUnits = roundedUnits(capacity.usableUnits)
  return { knownUnits, usableUnits, heldUnits: roundedUnits(knownUnits - usableUnits) }
}

/** The soonest reset that returns units to one of these windows; null if none is known. */
export function nextReturnView(
  { unit, evaluatedAt: now }: Pick<Snapshot, 'unit' | 'evaluatedAt'>,
  capacities: readonly WindowCapacity<WindowId>[],
  text: Wording,
): NextReturn | null {
  const next = capacities
    .flatMap(({ returns }) => returns.slice(0, 1))
    .reduce<WindowCapacity['returns'][number] | null>(
      (soonest, each) => (soonest === null || each.at < soonest.at ? each : soonest),
      null,
    )
  if (next === null) return null
  return {
    at: instantToIso(next.at),
    units: roundedUnits(next.units),
    account: next.title,
    text: text.words.pool.nextReturn({
      units: unitsText(next.units),
      unit: text.words.unitNames[unit],
      when: text.whenText(next.at, now),
      duration: text.durationText(secondsUntil(next.at, now) ?? 0),
    }),
  }
}

function capacityText(
  capacity: WindowCapacity<WindowId>,
  { unit, routableCount }: Pick<Snapshot, 'unit' | 'routableCount'>,
  { pool, unitNoun }: Catalogue,
): string {
  const { usableUnits, usableStaleUnits, heldUnits, trackedUnits, unknownUnits } = capacity
  if (isWhollyUnknown(capacity)) return isLowerBound(capacity) ? pool.unknown : pool.noTrackedQuota
  const { held } = capacityTexts({ usable: usableUnits, stale: usableStaleUnits, held: heldUnits })
  return pool.left({
    usable: isUsableUnknown(capacity, routableCount) ? pool.unknown : unitsText(usableUnits),
    held: heldUnits === 0 ? null : held,
    tracked: wholeUnitsText(trackedUnits),
    unknown: unknownUnits === 0 ? null : unitsText(unknownUnits),
    isLowerBound: isLowerBound(capacity) && usableUnits > 0,
    unit: unitNoun(wholeUnitsText(trackedUnits), unit),
  })
}

/** Whether an action is about the provider of the snapshot; an action without a provider is about Codex. */
function isAbout(action: HealthAction, { provider }: Snapshot): boolean {
  const named = 'provider' in action ? action.provider : undefined
  return (named ?? ASSUMED_PROVIDER) === provider
}

/**
 * Bad if no unit is usable, unknown if nothing is tracked or nothing usable is known; else the tone of the window's worst action, and at least warn while
 * few units are usable or all of them are stale.
 */
function capacityTone(capacity: WindowCapacity<WindowId>, snapshot: Snapshot): Tone {
  const { usableUnits, usableStaleUnits } = capacity
  if (isWhollyUnknown(capacity)) return 'unknown'
  const { windowId } = capacity
  const alert = isMainWindowId(windowId) ? wireWindows[windowId].alert : null
  const tones = snapshot.health.actions
    .filter(
      ({ action }) =>
        isAbout(action, snapshot) &&
        ('windowId' in action ? action.windowId === windowId : action.code === alert),
    )
    .map(({ tone }) => tone)
  if (tones.includes('bad')) return 'bad'
  if (isUsableUnknown(capacity, snapshot.routableCount)) return 'unknown'
  if (usableUnits === 0) return 'bad'
  return usableStaleUnits >= usableUnits ||
    tones.includes('warn') ||
    isLowShare(usableUnits, capacity)
    ? 'warn'
    : 'good'
}

export const firstRoundSchema = described(
  v.nullable(
    v.object({
      accountsRead: countSchema,
      accountsToRead: countSchema,
      doneAt: described(
        v.nullable(instantSchema),
        'Expected end of this first reading; null while queries to the vendor fail.',
      ),
      text: v.string(),
    }),
  ),
  'Progress of the first reading of all accounts, while more than a fifth of the tracked units is unknown; null otherwise.',
)

/** Progress of the first round of readings, in numbers and words; null if none is under way. */
export function firstRoundView(
  { firstRound, evaluatedAt }: Pick<Snapshot, 'firstRound' | 'evaluatedAt'>,
  text: Wording,
): v.InferOutput<typeof firstRoundSchema> {
  if (firstRound === null) return null
  const { readCount, toReadCount, doneAt } = firstRound
  return {
    accountsRead: readCount,
    accountsToRead: toReadCount,
    doneAt: isoOrNull(doneAt),
    text: text.words.pool.firstRound({
      readCount,
      toReadCount,
      doneAt: doneAt === null ? null : text.momentText(doneAt, evaluatedAt),
    }),
  }
}
