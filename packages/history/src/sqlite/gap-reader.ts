import { type EpochMs, epochMs } from '@svc/core'
import type { Database } from '@svc/sqlite'
import { type Gap, missedMs } from '../usage/missed-time.ts'

/** Creates a reader of the milliseconds between two instants that are in gaps. */
export function createMissedTime(db: Database): (since: number, now: number) => number {
  const gapsSince = readGaps(db)
  return (since, now) => missedMs(gapsSince(since), since, now)
}

/** Creates a reader of the gaps that end after an instant, by their start. */
export function createMissedStretches(
  db: Database,
): (since: EpochMs) => readonly { readonly from: EpochMs; readonly to: EpochMs }[] {
  const gapsSince = readGaps(db)
  return (since) => gapsSince(since).map(([from, to]) => ({ from: epochMs(from), to: epochMs(to) }))
}

/** Gaps by their start; they may overlap. */
function readGaps(db: Database): (since: number) => readonly Gap[] {
  const gapsSince = db
    .prepare('SELECT from_ms, to_ms FROM gaps WHERE to_ms > ? ORDER BY from_ms')
    .raw()
  return (since) => gapsSince.all(since) as Gap[]
}
