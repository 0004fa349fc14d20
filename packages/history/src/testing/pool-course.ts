import { epochMs } from '@svc/core'
import type { CapacityPoint, RecentChange, WindowReadingRecord } from '@svc/core/pool'

export const pointAt = (
  at: number,
  burnedUnits: number,
  windowId: '5h' | 'week' = '5h',
): CapacityPoint => ({
  provider: 'codex',
  windowId,
  at: epochMs(at),
  knownUnits: 5,
  trackedUnits: 6,
  unknownUnits: 1,
  burnedUnits,
})
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
export const changeAt = (at: number): RecentChange => ({
  at: epochMs(at),
  tone: 'good',
  detail: { code: 'gateway_changed', up: true },
})
