import { signal } from '@preact/signals'
import type { StatsWindows } from '@svc/views'
import { askRegularly } from './ask-regularly.ts'

/** How full the windows were, by the last answer; null before the first. */
export const statsWindows = signal<StatsWindows | null>(null)
/** Whether the last request failed. */
export const statsWindowsFailed = signal(false)

/** The answer changes at most this often. */
const REFRESH_MS = 5 * 60_000

/** Requests how full the windows were now, and regularly while the page is visible. The returned function ends it. */
export function followStatsWindows(): () => void {
  return askRegularly((stop) => void load(stop), REFRESH_MS)
}

async function load(signalToStop: AbortSignal): Promise<void> {
  try {
    const answer = await fetch('/api/v1/stats/windows', { cache: 'no-store', signal: signalToStop })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    statsWindows.value = (await answer.json()) as StatsWindows
    statsWindowsFailed.value = false
  } catch {
    if (!signalToStop.aborted) statsWindowsFailed.value = true
  }
}
