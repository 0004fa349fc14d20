import { signal } from '@preact/signals'
import type { StatsWindows } from '@svc/views'
import { followAnswer } from './ask-regularly.ts'

/** The last answer about past windows; null before the first. */
export const statsWindows = signal<StatsWindows | null>(null)
/** Whether the last request failed. */
export const statsWindowsFailed = signal(false)

/** The answer changes at most this often. */
const REFRESH_MS = 5 * 60_000

/** Requests how full the windows were now, and regularly while the page is visible. The returned function ends it. */
export function followStatsWindows(): () => void {
  return followAnswer('/api/v1/stats/windows', statsWindows, statsWindowsFailed, REFRESH_MS)
}
