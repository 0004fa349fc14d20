/** The subject to time, and its neighbour to compare with. */
export interface Comparison {
  readonly subject: () => unknown
  readonly neighbour: () => unknown
  /** `process.cpuUsage`: microseconds used by this process, independent of other load on the machine. */
  readonly cpuUsage: () => { readonly user: number; readonly system: number }
  /** Turns of each; 9 is right unless one turn takes long. */
  readonly rounds?: number
}

/**
 * The subject's time divided by its neighbour's, each at its fastest of several turns, because a busy machine can slow a turn down
 * but never speed it up. The only measure of speed a test may use; a number of milliseconds depends on the machine.
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
