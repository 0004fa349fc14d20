import type { CapacityPoint } from './capacity-point.ts'
import { type Runway, unknownRunway } from './runway.ts'

/** Where one window of the pool comes from and where it goes. */
export interface WindowTrend {
  readonly runway: Runway
  /** The last 24 h, oldest first. */
  readonly past: readonly CapacityPoint[]
}

export interface Trends {
  readonly fiveHour: WindowTrend
  readonly week: WindowTrend
}

export const noTrends: Trends = { fiveHour: { runway: unknownRunway, past: [] }, week: { runway: unknownRunway, past: [] } }
