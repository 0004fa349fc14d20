import { epochMs } from '@svc/core'
import type { CapacityPoint, RecentChange, WindowReadingRecord } from '@svc/core/pool'

/** One point of how the pool was used. */
export const pointAt = (
  at: number,
  burnedUnits: number,
  windowId: '5h' | 'week' = '5h',
): CapacityPoint => ({
  windowId,
  at: epochMs(at),
  knownUnits: 5,
  trackedUnits: 6,
  unknownUnits: 1,
  burnedUnits,
})
/** One reading of a five-hour window. */
export const readingAt = (
  at: number,
  accountKey: string,
  percent: number,
): WindowReadingRecord => ({
  accountKey,
  windowId: '5h',
  at: epochMs(at),
  percent,
  resetAt: null,
})
/** One change to show. */
export const changeAt = (at: number): RecentChange => ({
  at: epochMs(at),
  tone: 'good',
  detail: { code: 'gateway_changed', up: true },
})
