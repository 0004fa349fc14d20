import { type EpochMs, epochMs } from '@svc/core'
import type { Database } from './sqlite.ts'

type Gap = readonly [from: number, to: number]

/** Reads how many milliseconds between two instants lie in a gap of the store. */
export function createMissedTime(db: Database): (since: number, now: number) => number {
  const gapsSince = readGaps(db)
  return (since, now) => missedMs(gapsSince(since), since, now)
}

/** Reads the gaps of the store that end after an instant, by their start. */
export function createMissedStretches(
  db: Database,
): (since: EpochMs) => readonly { readonly from: EpochMs; readonly to: EpochMs }[] {
  const gapsSince = readGaps(db)
  return (since) => gapsSince(since).map(([from, to]) => ({ from: epochMs(from), to: epochMs(to) }))
}

/** Gaps may overlap. */
function readGaps(db: Database): (since: number) => readonly Gap[] {
  const gapsSince = db
    .prepare('SELECT from_ms, to_ms FROM gaps WHERE to_ms > ? ORDER BY from_ms')
    .raw()
  return (since) => gapsSince.all(since) as Gap[]
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
