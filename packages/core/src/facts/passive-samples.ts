import type { QuotaSample, WindowReading } from './reading.ts'
import type { EpochMs } from './time.ts'
import type { WindowId } from './window.ts'

const SAMPLES_MAX = 4

/**
 * Adds a sample that came with a client's answer, which shows only the windows of its model: a window that the newest sample of its origin lacks keeps its
 * last reading, with its own time, until its reset. Of two samples of one time the added one counts. See docs/rules.md#merging-readings.
 */
export function withPassiveSample(
  samples: readonly QuotaSample[],
  added: QuotaSample,
): readonly QuotaSample[] {
  const others = samples.filter(({ origin }) => origin !== added.origin)
  const newestFirst = [...samples.filter(({ origin }) => origin === added.origin), added]
    .sort((one, other) => one.sampledAt - other.sampledAt)
    .reverse()
  const [newest = added, ...earlier] = newestFirst
  const shown = new Set<WindowId>(newest.windows.map(({ id }) => id))
  const kept = [newest]
  for (const sample of earlier) {
    const unseen = sample.windows.filter(({ id }) => !shown.has(id))
    for (const { id } of unseen) shown.add(id)
    const windows = unseen.filter((window) => lasts(window, sample.sampledAt, newest.sampledAt))
    if (windows.length > 0 && kept.length < SAMPLES_MAX)
      kept.push({
        ...sample,
        windows,
        unreadableWindowCount: 0,
        limitReached: false,
        spendReached: null,
      })
  }
  return [...others, ...kept.reverse()]
}

/** Whether a window read at `readAt` has not been reset by `now`. */
function lasts({ resetAt, periodSeconds }: WindowReading, readAt: EpochMs, now: EpochMs): boolean {
  return (resetAt ?? readAt + (periodSeconds ?? 0) * 1000) > now
}
