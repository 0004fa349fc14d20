import type { ProviderId } from '../facts/provider.ts'
import { type PerWindow, perWindow } from '../facts/window.ts'
import type { CapacityPoint } from './capacity-point.ts'
import { type Runway, unknownRunway } from './runway.ts'

/** Recent course and forecast of the pool in one window. */
export interface WindowTrend {
  readonly runway: Runway
  /** The last 24 h, oldest first. */
  readonly past: readonly CapacityPoint[]
}

/** The trend of each main window. */
export type Trends = PerWindow<WindowTrend>

/** The trends of each provider's pool. */
export type TrendsByProvider = ReadonlyMap<ProviderId, Trends>

/** The trends of one provider's pool; nothing is known of one that was not recorded. */
export function trendsOf(all: TrendsByProvider, provider: ProviderId): Trends {
  return all.get(provider) ?? noTrends
}

/** Trends before anything was recorded. */
export const noTrends: Trends = perWindow(() => ({ runway: unknownRunway, past: [] }))
