import type { Database } from './sqlite.ts'

type Gap = readonly [from: number, to: number]

/** Reads how many milliseconds between two instants lie in a gap of the store. */
export function createMissedTime(db: Database): (since: number, now: number) => number {
  const gapsSince = db
    .prepare('SELECT from_ms, to_ms FROM gaps WHERE to_ms > ? ORDER BY from_ms')
    .raw()
  return (since, now) => missedMs(gapsSince.all(since) as Gap[], since, now)
}

/** Time between two instants that lies in a gap; gaps may overlap and come by their start. */
export function missedMs(gaps: readonly Gap[], since: number, now: number): number {
  let missed = 0
  let reached = since
  for (const [from, to] of gaps) {
    const start = Math.max(from, reached)
    const end = Math.min(to, now)
    if (end > start) missed += end - start
    reached = Math.max(reached, end)
  }
  return missed
}
