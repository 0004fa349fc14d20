import { type EpochMs, HOUR_MS, instantToIso, mainWindows, type Snapshot } from '@svc/core'
import {
  type CapacityPoint,
  type ExpectedLevel,
  isGapBetween,
  isLowerBound,
  type ProviderPool,
  RUNWAY_HOURS_MAX,
  type Runway,
  type Trends,
  type WindowCapacity,
  type WindowTrend,
} from '@svc/core/pool'
import * as v from 'valibot'
import { roughHours, roundedUnits, unitsText } from '../format/format.ts'
import type { Wording } from '../messages/wording.ts'
import {
  countSchema,
  described,
  instantSchema,
  isoOrNull,
  optional,
  secondsSchema,
  unitsSchema,
} from './wire-schema.ts'

const gainSchema = v.object({ at: instantSchema, units: unitsSchema, usable: unitsSchema })

export const trendsSchema = described(
  v.object({
    windows: v.array(
      v.object({
        id: v.string(),
        label: v.string(),
        runway: described(
          v.object({
            burnPerHour: v.nullable(unitsSchema),
            runsDryAt: v.nullable(instantSchema),
            p25: v.nullable(instantSchema),
            p75: v.nullable(instantSchema),
            verdict: v.picklist(['safe', 'tight', 'runs-dry', 'unknown']),
            confidence: v.picklist(['none', 'low', 'high']),
            text: v.string(),
            secondsWithoutReturns: optional(
              v.nullable(secondsSchema),
              `Seconds until the window runs dry at the expected burn if no reset returns quota; null beyond ${RUNWAY_HOURS_MAX} h or if the burn is unknown.`,
            ),
            lapsingAccounts: optional(
              countSchema,
              `Number of accounts whose subscription ends within ${RUNWAY_HOURS_MAX} h according to their login. The forecast uses none of their quota after that end. Omitted if 0.`,
            ),
          }),
          `Forecast of when the window runs dry at the expected burn; its times are null beyond ${RUNWAY_HOURS_MAX} h.`,
        ),
        past: described(
          v.array(
            v.object({
              at: instantSchema,
              known: unitsSchema,
              tracked: unitsSchema,
              usable: optional(
                unitsSchema,
                'Part of `known` that could be spent at that time; the rest was on blocked accounts. Omitted if no longer known, for example after a restart.',
              ),
              afterGap: optional(
                v.literal(true),
                'True if the pool was not watched between the previous point and this one; omitted otherwise.',
              ),
            }),
          ),
          'History of the units known to be left, over the last 24 h.',
        ),
        ahead: described(
          v.array(v.object({ at: instantSchema, units: unitsSchema, total: unitsSchema })),
          'Coming resets: `units` is the quota that each returns, `total` the quota left afterwards if none is used until then.',
        ),
        gains: optional(
          v.array(gainSchema),
          'Times at which quota becomes usable, by a reset or the end of a block. `units`: quota added. `usable`: quota usable then if none is spent before.',
        ),
        later: optional(
          v.array(gainSchema),
          'Gains after the last one in `gains`, summed by hour; `at` is the time of the first gain in the hour. Omitted if there are none.',
        ),
        forecast: optional(
          v.array(
            v.object({
              at: instantSchema,
              expected: unitsSchema,
              low: described(unitsSchema, 'Lower quartile, in units of the pool.'),
              high: described(unitsSchema, 'Upper quartile, in units of the pool.'),
              held: optional(unitsSchema, 'Units expected to be held on blocked accounts.'),
            }),
          ),
          'Units expected to be usable, from coming resets, blocked accounts becoming free, and burn. Two points at the same time are before and after a reset. At low confidence, show only the quartiles. Omitted if the burn is unknown.',
        ),
      }),
    ),
  }),
  'History and forecast of the capacity.',
)

export type TrendsTab = v.InferOutput<typeof trendsSchema>

/** Maximum numbers of points and returns in a chart. */
const POINTS_MAX = 48
const RETURNS_MAX = 24
const AHEAD_MS = 48 * HOUR_MS

export function trendsView(snapshot: Snapshot, trends: Trends, text: Wording): TrendsTab {
  const { capacity, evaluatedAt, unit } = snapshot
  return {
    windows: mainWindows.map(({ id }) =>
      windowView(capacity[id], trends[id], { now: evaluatedAt, unit, text }),
    ),
  }
}

function windowView(
  capacity: WindowCapacity,
  { runway, past }: WindowTrend,
  of: { readonly now: EpochMs; readonly unit: ProviderPool['unit']; readonly text: Wording },
): TrendsTab['windows'][number] {
  const { now, text } = of
  const { burnPerHour, verdict, confidence } = runway
  return {
    id: capacity.windowId,
    label: text.words.windowLabel(capacity.windowId),
    runway: {
      burnPerHour: burnPerHour === null ? null : roundedUnits(burnPerHour),
      runsDryAt: isoOrNull(runway.runsDryAt),
      p25: isoOrNull(runway.p25),
      p75: isoOrNull(runway.p75),
      verdict,
      confidence,
      text: runwayText(runway, of),
      secondsWithoutReturns: secondsWithoutReturns(runway, now),
      ...(runway.lapsingCount === 0 ? {} : { lapsingAccounts: runway.lapsingCount }),
    },
    // Leaves out lower bounds: the pool was hardly read then, not empty.
    past: thin(
      past.filter((point) => !isLowerBound(point)),
      POINTS_MAX,
    ).map(({ point, isAfterGap }) => ({
      at: instantToIso(point.at),
      known: roundedUnits(point.knownUnits),
      tracked: roundedUnits(point.trackedUnits),
      ...(point.usableUnits === undefined ? {} : { usable: roundedUnits(point.usableUnits) }),
      ...(isAfterGap ? { afterGap: true as const } : {}),
    })),
    ahead: aheadOf(capacity, now),
    ...gainsOf(capacity, now),
    ...(runway.levels.length === 0 ? {} : { forecast: runway.levels.map(levelView) }),
  }
}

function levelView({ at, expected, low, high, held }: ExpectedLevel) {
  return {
    at: instantToIso(at),
    expected: roundedUnits(expected),
    low: roundedUnits(low),
    high: roundedUnits(high),
    held: roundedUnits(held),
  }
}

function secondsWithoutReturns(
  { runsDryWithoutResetsAt: at }: Runway,
  now: EpochMs,
): number | null {
  return at === null ? null : Math.max(0, Math.floor((at - now) / 1000))
}

/** Runway as a phrase: `−3.2 Plus/h · dry in 6h 10min`, at low confidence `−3.2 Plus/h · rough: 3 to 13 h`. */
function runwayText(
  runway: Runway,
  {
    now,
    unit,
    text,
  }: { readonly now: EpochMs; readonly unit: ProviderPool['unit']; readonly text: Wording },
): string {
  const { burnPerHour, runsDryAt, p25, p75, verdict, confidence, lapsingCount } = runway
  const { burn, burnUnknown, dryIn, lasts, mayRunDry, rough, lapsing } = text.words.pool.runway
  if (burnPerHour === null) return burnUnknown
  const end =
    verdict === 'safe'
      ? lasts(RUNWAY_HOURS_MAX)
      : confidence === 'low' && p25 !== null
        ? rough(...roughHours(p25 - now, p75 === null ? null : p75 - now))
        : runsDryAt === null
          ? mayRunDry(RUNWAY_HOURS_MAX)
          : dryIn(text.durationText((runsDryAt - now) / 1000))
  const less = lapsingCount === 0 ? [] : [lapsing(lapsingCount, RUNWAY_HOURS_MAX)]
  return [burn(unitsText(burnPerHour), text.words.unitNames[unit]), end, ...less].join(' · ')
}

function aheadOf(
  { returns, knownUnits, trackedUnits }: WindowCapacity,
  now: EpochMs,
): TrendsTab['windows'][number]['ahead'] {
  let total = knownUnits
  return returns
    .filter(({ at }) => at - now <= AHEAD_MS)
    .slice(0, RETURNS_MAX)
    .map(({ at, units }) => {
      total = Math.min(trackedUnits, total + units)
      return { at: instantToIso(at), units: roundedUnits(units), total: roundedUnits(total) }
    })
}

/** Gains of usable quota: those of the next days by their times, and the later ones by the hour. */
function gainsOf(
  { gains, usableUnits, trackedUnits }: WindowCapacity,
  now: EpochMs,
): Pick<TrendsTab['windows'][number], 'gains' | 'later'> {
  const near = new Map<EpochMs, number>()
  const later = new Map<number, { readonly at: EpochMs; readonly units: number }>()
  for (const { at, units } of gains) {
    const isNear = near.has(at) || (near.size < RETURNS_MAX && at - now <= AHEAD_MS)
    if (isNear && later.size === 0) near.set(at, (near.get(at) ?? 0) + units)
    else {
      const hour = Math.floor(at / HOUR_MS)
      const before = later.get(hour)
      later.set(hour, { at: before?.at ?? at, units: units + (before?.units ?? 0) })
    }
  }
  let usable = usableUnits
  const added = ({ at, units }: { readonly at: EpochMs; readonly units: number }) => {
    usable = Math.min(trackedUnits, usable + units)
    return { at: instantToIso(at), units: roundedUnits(units), usable: roundedUnits(usable) }
  }
  return {
    gains: [...near].map(([at, units]) => added({ at, units })),
    ...(later.size === 0 ? {} : { later: [...later.values()].map(added) }),
  }
}

interface ShownPoint {
  readonly point: CapacityPoint
  /** Whether there is a gap since the previously shown point. */
  readonly isAfterGap: boolean
}

/** Every n-th point, including the newest. */
function thin(points: readonly CapacityPoint[], max: number): readonly ShownPoint[] {
  const every = Math.ceil(points.length / max)
  const shown: ShownPoint[] = []
  let isAfterGap = false
  for (const [index, point] of points.entries()) {
    const before = points[index - 1]
    isAfterGap ||= before !== undefined && isGapBetween(before, point)
    if ((points.length - 1 - index) % every !== 0) continue
    shown.push({ point, isAfterGap: isAfterGap && shown.length > 0 })
    isAfterGap = false
  }
  return shown
}
