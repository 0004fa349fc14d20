import { type EpochMs, epochMs, HOUR_MS } from '../facts/time.ts'
import type { CapacityPoint } from './capacity-point.ts'

const HOURS_A_DAY = 24
/** See docs/rules.md#runway. */
const PROFILE_HOURS = 7 * HOURS_A_DAY
const PROFILE_HOURS_MIN = 2 * HOURS_A_DAY
const MEAN_HOURS = HOURS_A_DAY
/** Shortest time of readings from which a burn is computed. */
export const READINGS_MS_MIN = 30 * 60_000
const LEVEL_HOURS = 6
const LEVEL_PADDING_HOURS = 3
const LEVEL_MIN = 1 / 3
const LEVEL_MAX = 3
const LEVEL_FADES_OVER_HOURS = 6

/** Units used per hour, by the number of the UTC hour since 1970. An hour without an entry was unwatched. */
export interface BurnHours {
  readonly unitsByHour: ReadonlyMap<number, number>
  readonly firstAt: EpochMs | null
}

/** Sums points by the hour; they may be in any order. */
export function burnHoursOf(points: readonly CapacityPoint[]): BurnHours {
  const unitsByHour = new Map<number, number>()
  let firstAt: EpochMs | null = null
  for (const { at, burnedUnits } of points) {
    const hour = hourOf(at)
    unitsByHour.set(hour, (unitsByHour.get(hour) ?? 0) + burnedUnits)
    if (firstAt === null || at < firstAt) firstAt = at
  }
  return { unitsByHour, firstAt }
}

/** The number of the UTC hour since 1970 in which an instant lies. */
export function hourOf(at: EpochMs): number {
  return Math.floor(at / HOUR_MS)
}

export interface BurnForecast {
  readonly confidence: 'low' | 'high'
  /** Units expected to be used in the next `hours`; grows with `hours`. */
  unitsWithin(hours: number): number
}

/**
 * Forecasts burn by hour of the day, separately for weekends, scaled to the last six hours. With less than two days of history, uses the mean of the
 * last day; null with less than half an hour. Ignores data after `now`. See docs/rules.md#runway.
 */
export function burnForecastOf(
  { unitsByHour, firstAt }: BurnHours,
  now: EpochMs,
): BurnForecast | null {
  if (firstAt === null || now - firstAt < READINGS_MS_MIN) return null
  const thisHour = hourOf(now)
  const firstHour = Math.max(hourOf(firstAt), thisHour - PROFILE_HOURS)
  const past: PastHour[] = []
  for (let hour = firstHour; hour < thisHour; hour += 1) {
    const units = unitsByHour.get(hour)
    if (units !== undefined) past.push({ hour, units })
  }
  const elapsed = (now - thisHour * HOUR_MS) / HOUR_MS
  // At the very start of an hour its burn is unknown, even if a later reading already exists.
  const soFar = elapsed === 0 ? 0 : (unitsByHour.get(thisHour) ?? 0)

  if (thisHour - hourOf(firstAt) < PROFILE_HOURS_MIN) {
    const recent = past.filter(({ hour }) => hour >= thisHour - MEAN_HOURS)
    const hours = Math.min(recent.length + elapsed, (now - firstAt) / HOUR_MS)
    const perHour = hours <= 0 ? 0 : (sumOf(recent) + soFar) / hours
    return { confidence: 'low', unitsWithin: (ahead) => perHour * ahead }
  }

  const profile = profileOf(past)
  const mean = past.length === 0 ? 0 : sumOf(past) / past.length
  const recent = past.filter(({ hour }) => hour >= thisHour - LEVEL_HOURS)
  const expected =
    recent.reduce((sum, { hour }) => sum + profile(hour), 0) + profile(thisHour) * elapsed
  const padding = LEVEL_PADDING_HOURS * mean
  const level =
    expected + padding <= 0 ? 1 : (sumOf(recent) + soFar + padding) / (expected + padding)
  const excess = Math.min(LEVEL_MAX, Math.max(LEVEL_MIN, level)) - 1
  return {
    confidence: 'high',
    unitsWithin(ahead) {
      let units = 0
      for (let done = 0; done < ahead; ) {
        const at = elapsed + done
        const step = Math.min(ahead - done, Math.floor(at) + 1 - at)
        const fading = Math.exp(-(done + step / 2) / LEVEL_FADES_OVER_HOURS)
        units += profile(thisHour + Math.floor(at)) * step * (1 + excess * fading)
        done += step
      }
      return units
    },
  }
}

interface PastHour {
  readonly hour: number
  readonly units: number
}

function sumOf(hours: readonly PastHour[]): number {
  return hours.reduce((sum, { units }) => sum + units, 0)
}

/** Mean units of each hour of the day, separately for weekdays and weekends, smoothed over neighbouring hours. */
function profileOf(past: readonly PastHour[]): (hour: number) => number {
  const bins = Array.from({ length: 2 * HOURS_A_DAY }, () => ({ units: 0, hours: 0 }))
  for (const { hour, units } of past) {
    const bin = bins[binOf(hour)]
    if (bin === undefined) continue
    bin.units += units
    bin.hours += 1
  }
  const all = past.length === 0 ? 0 : sumOf(past) / past.length
  const meanOf = (bin: { readonly units: number; readonly hours: number } | undefined) =>
    bin === undefined || bin.hours === 0 ? null : bin.units / bin.hours
  const means = bins.map(
    (bin, index) => meanOf(bin) ?? meanOf(bins[(index + HOURS_A_DAY) % bins.length]) ?? all,
  )
  const smooth = means.map((mean, index) => {
    const day = index < HOURS_A_DAY ? 0 : HOURS_A_DAY
    const around = (offset: number) =>
      means[day + ((index - day + offset + HOURS_A_DAY) % HOURS_A_DAY)] ?? mean
    return (around(-1) + 2 * mean + around(1)) / 4
  })
  return (hour) => smooth[binOf(hour)] ?? all
}

/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4

function binOf(hour: number): number {
  const weekday = (Math.floor(hour / HOURS_A_DAY) + FIRST_WEEKDAY) % 7
  const isWeekend = weekday === 0 || weekday === 6
  return (isWeekend ? HOURS_A_DAY : 0) + (hour % HOURS_A_DAY)
}

const HORIZON_HOURS = [1, 3, 6, 12, 24, 48] as const
const RATIOS_MIN = HOURS_A_DAY
/** Smallest forecast that is compared with actual burn. */
const UNITS_MIN = 1e-6

/** Past error of forecasts: factors that turn a forecast `hours` ahead into the lower and upper quartile of actual burn. */
export interface ForecastSpread {
  quartiles(hours: number): { readonly lower: number; readonly upper: number }
}

/** Spread assumed before the error of forecasts is known: half to twice the forecast. */
const UNTOLD_SPREAD: ForecastSpread = { quartiles: () => ({ lower: 1 / 2, upper: 2 }) }

/** Compares the forecasts of every hour of the last week with actual burn; needs at least a day of forecasts. */
export function forecastSpreadOf(burn: BurnHours, now: EpochMs): ForecastSpread {
  const thisHour = hourOf(now)
  const ratiosByHorizon = HORIZON_HOURS.map((): number[] => [])
  for (let hour = thisHour - PROFILE_HOURS; hour < thisHour; hour += 1) {
    const forecast = burnForecastOf(burn, epochMs(hour * HOUR_MS))
    if (forecast === null) continue
    for (const [index, horizon] of HORIZON_HOURS.entries()) {
      const actual = unitsBetween(burn, hour, hour + horizon, thisHour)
      const expected = forecast.unitsWithin(horizon)
      if (actual !== null && expected > UNITS_MIN) ratiosByHorizon[index]?.push(actual / expected)
    }
  }
  if ((ratiosByHorizon[0]?.length ?? 0) < RATIOS_MIN) return UNTOLD_SPREAD
  const known = HORIZON_HOURS.flatMap((horizon, index) => {
    const ratios = (ratiosByHorizon[index] ?? []).sort((a, b) => a - b)
    if (ratios.length < RATIOS_MIN / 2) return []
    const at = (share: number) =>
      ratios[Math.min(ratios.length - 1, Math.floor(share * ratios.length))] ?? 1
    return [{ horizon, lower: at(0.25), upper: at(0.75) }]
  })
  return {
    quartiles(hours) {
      const after = known.findIndex(({ horizon }) => horizon >= hours)
      const upper = known[after === -1 ? known.length - 1 : after]
      const lower = known[after === -1 ? known.length - 1 : Math.max(0, after - 1)]
      if (upper === undefined || lower === undefined) return { lower: 1, upper: 1 }
      const share =
        upper.horizon === lower.horizon
          ? 0
          : (hours - lower.horizon) / (upper.horizon - lower.horizon)
      const between = (one: number, other: number) => one + (other - one) * share
      return { lower: between(lower.lower, upper.lower), upper: between(lower.upper, upper.upper) }
    },
  }
}

/** Units used in the hours from `from` up to but excluding `to`; null if an hour is not over or was not watched. */
function unitsBetween(
  { unitsByHour }: BurnHours,
  from: number,
  to: number,
  thisHour: number,
): number | null {
  if (to > thisHour) return null
  let sum = 0
  for (let hour = from; hour < to; hour += 1) {
    const units = unitsByHour.get(hour)
    if (units === undefined) return null
    sum += units
  }
  return sum
}
