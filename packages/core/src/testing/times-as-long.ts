/** Something to time, and something to compare it with. */
export interface Comparison {
  readonly subject: () => unknown
  readonly neighbour: () => unknown
  /** Milliseconds of a clock that does not jump. */
  readonly nowMs: () => number
}

const ROUNDS = 7

/**
 * How many times as long as its neighbour the subject takes: the median of several rounds, in each of which one follows the other, so
 * that a busy machine slows both. The only measure of speed a test may use; a number of milliseconds depends on the machine.
 */
export function timesAsLong({ subject, neighbour, nowMs }: Comparison): number {
  const timeOf = (work: () => unknown) => {
    const startedMs = nowMs()
    work()
    return nowMs() - startedMs
  }
  const ratios = Array.from({ length: ROUNDS }, () => {
    const neighbourMs = timeOf(neighbour)
    return timeOf(subject) / Math.max(neighbourMs, 0.001)
  })
  return ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN
}
