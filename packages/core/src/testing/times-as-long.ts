/** Something to time, and something to compare it with. */
export interface Comparison {
  readonly subject: () => unknown
  readonly neighbour: () => unknown
  /** `process.cpuUsage`: microseconds of this process, whatever else the machine does. */
  readonly cpuUsage: () => { readonly user: number; readonly system: number }
  /** Turns of each, 9 unless one takes long. */
  readonly rounds?: number
}

/**
 * How many times as long as its neighbour the subject takes, each at its quickest of several turns: a busy machine interrupts some of
 * them, never makes one quicker. The only measure of speed a test may use; a number of milliseconds depends on the machine.
 */
export function timesAsLong({ subject, neighbour, cpuUsage, rounds = 9 }: Comparison): number {
  const used = () => {
    const { user, system } = cpuUsage()
    return user + system
  }
  const timeOf = (work: () => unknown) => {
    const before = used()
    work()
    return used() - before
  }
  let [ofSubject, ofNeighbour] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round += 1) {
    ofNeighbour = Math.min(ofNeighbour, timeOf(neighbour))
    ofSubject = Math.min(ofSubject, timeOf(subject))
  }
  return ofSubject / ofNeighbour
}
