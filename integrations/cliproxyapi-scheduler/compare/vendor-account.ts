import { type EpochMs, epochMs, plusMs } from '@svc/core'

/** One window at the vendor. */
export interface VendorWindow {
  readonly id: '5h' | 'week'
  readonly seconds: number
  /** Share of a request's cost. */
  readonly share: number
  usedPercent: number
  /** Milliseconds since the start of the world; null: not begun. */
  endsMs: number | null
}

/** One account at the vendor and in the proxy. */
export interface VendorAccount {
  readonly name: string
  readonly plan: string
  readonly weight: number
  readonly windows: readonly VendorWindow[]
  lastSuccessMs: number | null
  /** The proxy leaves it out until then. */
  cooldownUntilMs: number
  /** The proxy has forgotten this cooldown once already, when it read its own file again. */
  cooldownForgotten: boolean
}

const START: EpochMs = epochMs(Date.UTC(2026, 10, 20, 12))

/** Instant of a time in milliseconds since the start of a world. */
export const instantOf = (ms: number): EpochMs => plusMs(START, ms)
