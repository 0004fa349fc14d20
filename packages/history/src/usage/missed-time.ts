/** A period in which usage may have been missed, in milliseconds. */
interface Gap {
  readonly from: number
  readonly to: number
}

/** Milliseconds between two instants that are in gaps; gaps may overlap and are ordered by start. */
export function missedMs(gaps: readonly Gap[], since: number, now: number): number {
  let missed = 0
  let reached = since
  for (const { from, to } of gaps) {
    const start = Math.max(from, reached)
    const end = Math.min(to, now)
    if (end > start) missed += end - start
    reached = Math.max(reached, end)
  }
  return missed
}
