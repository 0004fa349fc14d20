import { type EpochMs, secondsUntil } from '../facts/time.ts'
import type { QuotaWindow } from './quota-window.ts'

/** A 5h window whose remaining quota will soon expire at its reset. */
export interface ReclaimWindow {
  readonly id: '5h'
  /** Percent remaining, 50..100. */
  readonly percent: number
  /** 1..3600. */
  readonly resetsInSeconds: number
}

/** Least percent remaining for a reclaim, inclusive. See docs/rules.md#reclaim. */
export const RECLAIM_PERCENT_MIN = 50
/** Longest time to the reset for a reclaim, inclusive. See docs/rules.md#reclaim. */
export const RECLAIM_RESET_SECONDS_MAX = 60 * 60

/** The 5h window if it should be spent before its reset; null otherwise. With an exhausted week or a blocked account there is nothing to spend. */
export function reclaimWindowOf(
  windows: readonly QuotaWindow[],
  blocked: boolean,
  now: EpochMs,
): ReclaimWindow | null {
  if (blocked) return null
  const window = windows.find((candidate) => candidate.id === '5h')
  if (window === undefined || window.state !== 'known' || window.stale) return null
  if (windows.some((candidate) => candidate.id === 'week' && candidate.state === 'exhausted'))
    return null

  const resetsInSeconds = secondsUntil(window.resetAt, now)
  if (
    resetsInSeconds === null ||
    resetsInSeconds === 0 ||
    resetsInSeconds > RECLAIM_RESET_SECONDS_MAX
  )
    return null
  if (window.percent < RECLAIM_PERCENT_MIN) return null
  return { id: '5h', percent: window.percent, resetsInSeconds }
}
