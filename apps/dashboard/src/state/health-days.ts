import { signal } from '@preact/signals'
import type { HealthHistoryPayload } from '@svc/views'
import type { Zone } from '@svc/views/format'
import { followAnswer } from './ask-regularly.ts'

export type DayState = HealthHistoryPayload['stretches'][number]['state']

/** The last history received; null before the first answer. */
export const healthHistory = signal<HealthHistoryPayload | null>(null)
export const healthHistoryFailed = signal(false)

/** Poll interval in milliseconds. A cell is added every quarter of an hour, but the current one may get worse sooner. */
const REFRESH_MS = 5 * 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Requests the history now, and regularly while the page is visible. The returned function ends it. */
export function followHealthHistory(): () => void {
  return followAnswer('/api/v1/health/history', healthHistory, healthHistoryFailed, REFRESH_MS)
}

/** A stretch of time with one state within a day of the display zone. */
export interface DayStretch {
  readonly state: DayState
  readonly fromMs: number
  readonly toMs: number
  /** Start and end in hours by the clock of that day, 0 to 24. */
  readonly start: number
  readonly end: number
}

/** A day of the display zone with its stretches, oldest first. */
export interface HealthDay {
  readonly startMs: number
  readonly stretches: readonly DayStretch[]
}

/** The days from the first one with known state, newest first. If the clock is set back, the later of the two equal hours is shown. */
export function splitIntoDays(
  { start, end, stretches, stepSeconds }: HealthHistoryPayload,
  zone: Zone,
): readonly HealthDay[] {
  const days = new Map<number, { startMs: number; stretches: DayStretch[] }>()
  let isKnown = false
  for (const { from, to, state } of stretches) {
    isKnown ||= state !== 'unknown'
    const endMs = Date.parse(to)
    for (let ms = Date.parse(from); isKnown && ms < endMs; ) {
      // Clocks are set only at whole steps.
      const nextMs = Math.min(ms + stepSeconds * 1000, endMs)
      const local = ms + zone.offsetMs(ms)
      const number = Math.floor(local / DAY_MS)
      const day = days.get(number) ?? { startMs: ms, stretches: [] }
      days.set(number, day)
      const at = (local - number * DAY_MS) / HOUR_MS
      const until = at + (nextMs - ms) / HOUR_MS
      const newest = day.stretches.at(-1)
      if (newest?.state === state && newest.toMs === ms && at >= newest.start)
        day.stretches[day.stretches.length - 1] = { ...newest, toMs: nextMs, end: until }
      else day.stretches.push({ state, fromMs: ms, toMs: nextMs, start: at, end: until })
      ms = nextMs
    }
  }
  // The range begins within a day, which then is not told whole.
  const dayCount = Math.floor((Date.parse(end) - Date.parse(start)) / DAY_MS)
  return [...days.values()].reverse().slice(0, dayCount)
}
