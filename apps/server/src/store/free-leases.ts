import { type LeaseName, POOL_LEASE } from '@svc/core/service'

/** A lease that nobody has, and how long that was seen. */
export interface Waiting {
  readonly name: LeaseName
  readonly waitedMs: number
}

export interface Share {
  /** Leases there are. */
  readonly total: number
  /** Leases that this monitor has. */
  readonly held: number
  /** Uniform in 0..1. */
  readonly random: () => number
}

/** How many are taken at once, of all there are: another monitor that starts at the same time gets some as well. */
const PART = 4
/** How long a monitor that has all other leases leaves a free one to others. One that has fewer waits in proportion. */
const PATIENCE_MS = 500
/** How long a monitor that asks no proxy leaves the course to one that does: it knows the pool first. */
const POOL_PATIENCE_MS = 1_000

/** Which of the leases that nobody has this monitor takes now. No monitor assigns them: the one that has fewer takes sooner. */
export function freeToTake(
  waiting: readonly Waiting[],
  { total, held, random }: Share,
): readonly LeaseName[] {
  const patienceMs = (PATIENCE_MS * held) / Math.max(1, total)
  const ripe = waiting.filter(({ name, waitedMs }) =>
    name === POOL_LEASE ? held > 0 || waitedMs >= POOL_PATIENCE_MS : waitedMs >= patienceMs,
  )
  const shuffled = ripe
    .map(({ name }) => ({ name, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ name }) => name)
  return shuffled.slice(0, Math.ceil(total / PART))
}
