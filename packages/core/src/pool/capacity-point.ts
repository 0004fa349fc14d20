import { ASSUMED_PROVIDER, type ProviderId } from '../facts/provider.ts'
import type { ReadingOrigin } from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import { isMainWindowId, type MainWindowId } from '../facts/window.ts'

/** A pool's capacity in one window at one time, in units of its provider, with the units used since the previous point. */
export interface CapacityPoint {
  readonly provider: ProviderId
  readonly windowId: MainWindowId
  readonly at: EpochMs
  readonly knownUnits: number
  /** The part of `knownUnits` on routable accounts; left out of points that an earlier version stored. */
  readonly usableUnits?: number
  readonly trackedUnits: number
  readonly unknownUnits: number
  readonly burnedUnits: number
}

/** Name of a window of a pool in the store: `5h` of Codex, `claude/5h` of another provider. */
export function windowNameOf({
  provider,
  windowId,
}: Pick<CapacityPoint, 'provider' | 'windowId'>): string {
  return provider === ASSUMED_PROVIDER ? windowId : `${provider}/${windowId}`
}

/** Parses a name made by `windowNameOf`; null for a window that this version does not know. */
export function windowNamed(name: string): Pick<CapacityPoint, 'provider' | 'windowId'> | null {
  const slash = name.lastIndexOf('/')
  const windowId = name.slice(slash + 1)
  if (!isMainWindowId(windowId)) return null
  return { provider: slash < 0 ? ASSUMED_PROVIDER : name.slice(0, slash), windowId }
}

/** A recorded percent of one account's window. */
export interface WindowReadingRecord {
  readonly accountKey: string
  readonly windowId: MainWindowId
  readonly at: EpochMs
  /** Percent remaining, 0..100. */
  readonly percent: number
  readonly resetAt: EpochMs | null
  /** Origin of the reading and the time it was taken; left out if unknown. */
  readonly origin?: ReadingOrigin
  readonly sampledAt?: EpochMs
}
