import { percentOf, type QuotaWindow, windowOf } from './quota-window.ts'

/** Percent of the week that a full 5h window uses up, as a factor; `off` does not cap 5h by the week. */
export type WeeklyToFiveHourMultiplier = number | 'off'

/** What an account can really spend in its two main windows, percent 0..100; null = unknown. */
export interface EffectiveQuota {
  readonly fiveHour: number | null
  readonly week: number | null
}

/**
 * What the two main windows are worth together: an exhausted week leaves nothing of the 5h window, and a nearly used
 * week caps it. An absent window takes the other's value; with both absent nothing is known. Source: decisions §5.
 */
export function effectiveQuotaOf(windows: readonly QuotaWindow[], multiplier: WeeklyToFiveHourMultiplier): EffectiveQuota {
  const fiveHour = windowOf(windows, '5h')
  const week = windowOf(windows, 'week')
  return effectiveOf(percentOrStandIn(fiveHour, week), percentOrStandIn(week, fiveHour), multiplier)
}

/** The same from two percents; null = unknown. */
export function effectiveOf(fiveHour: number | null, week: number | null, multiplier: WeeklyToFiveHourMultiplier): EffectiveQuota {
  if (week === 0) return { fiveHour: 0, week }
  if (fiveHour === null) return { fiveHour, week }
  if (week === null || multiplier === 'off') return { fiveHour, week }
  return { fiveHour: Math.min(fiveHour, week * multiplier), week }
}

/** The window's own percent, or that of the window which stands in for an absent one. */
export function percentOrStandIn(window: QuotaWindow, other: QuotaWindow): number | null {
  return percentOf(window.state === 'absent' ? other : window)
}
