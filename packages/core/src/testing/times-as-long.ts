/** Something to time, and something to compare it with. */
export interface Comparison {
  readonly subject: () => unknown
  readonly neighbour: () => unknown
  /** Milliseconds of a clock that does not jump. */
  readonly nowMs: () => number
  /** Turns of each, 9 unless one takes long. */
  readonly rounds?: number
}

/**
 * How many times as long as its neighbour the subject takes, each at its quickest of several turns: a busy machine interrupts some of
 * them, never makes one quicker. The only measure of speed a test may use; a number of milliseconds depends on the machine.
 */
export function timesAsLong({ subject, neighbour, nowMs, rounds = 9 }: Comparison): number {
  const timeOf = (work: () => unknown) => {
    const startedMs = nowMs()
    work()
    return nowMs() - startedMs
  }
  let [subjectMs, neighbourMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round += 1) {
    neighbourMs = Math.min(neighbourMs, timeOf(neighbour))
    subjectMs = Math.min(subjectMs, timeOf(subject))
  }
  return subjectMs / neighbourMs
}
