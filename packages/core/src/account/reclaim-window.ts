import { type EpochMs, secondsUntil } from '../facts/time.ts'
import type { QuotaWindow } from './quota-window.ts'

/** The 5h window that loses the most if its quota is not spent before the reset. */
export interface ReclaimWindow {
  readonly id: '5h'
  /** Percent remaining, 50..100. */
  readonly percent: number
  /** 1..3600. */
  readonly resetsInSeconds: number
}

/** Least share that must remain, in percent, inclusive. See docs/rules.md#reclaim. */
export const RECLAIM_PERCENT_MIN = 50
/** Longest time to the reset, inclusive. See docs/rules.md#reclaim. */
export const RECLAIM_RESET_SECONDS_MAX = 60 * 60

/** The 5h window worth spending first; null if it does not qualify. An exhausted week or a block leaves nothing to spend. */
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
