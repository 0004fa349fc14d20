import type { WindowId, WindowReading } from '@svc/core'
import { textFrom } from '../../wire/wire-fields.ts'

const WORD_LENGTH_MAX = 64

/** Lengths of windows in hours, by the words of vendors and plugins. */
const HOURS = new Map(Object.entries({ '5h': 5, '24h': 24, daily: 24, weekly: 168, monthly: 720 }))

/** Length of the window with this name, in seconds; null if the name tells none. */
export function secondsOfWord(word: unknown): number | null {
  const hours = HOURS.get(slugOf(word))
  return hours === undefined ? null : hours * 3600
}

/** A name in lower case, as part of a window's id; empty if nothing of it remains. */
export function slugOf(name: unknown): string {
  const words = (textFrom(name) ?? '').slice(0, WORD_LENGTH_MAX).toLowerCase()
  return words.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')
}

/** Keeps one window per id: the one with the least quota left. */
export function leastLeftOfEach(windows: readonly WindowReading[]): readonly WindowReading[] {
  const leastById = new Map<WindowId, WindowReading>()
  for (const window of windows) {
    const found = leastById.get(window.id)
    if (found === undefined || window.percent < found.percent) leastById.set(window.id, window)
  }
  return [...leastById.values()]
}
