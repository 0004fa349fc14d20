import { type LeaseName, POOL_LEASE } from '@svc/core/service'

/** A lease without a holder, and how long it has been free. */
export interface Waiting {
  readonly name: LeaseName
  readonly waitedMs: number
}

export interface Share {
  /** Number of all leases. */
  readonly total: number
  /** Number of leases that this monitor holds. */
  readonly held: number
  /** Uniform in 0..1. */
  readonly random: () => number
}

/** Divides all leases: at most one part is taken at once, so that another monitor that starts at the same time gets some as well. */
const PART = 4
/** Longest time a monitor that holds all other leases leaves a free one to others; proportionally shorter with fewer leases. */
const PATIENCE_MS = 500
/** Milliseconds for which a monitor that asks no proxy leaves the course to one that does, and that knows the pool first. */
const POOL_PATIENCE_MS = 1_000

/** Chooses the free leases that this monitor takes now. No monitor assigns leases: the one with fewer takes sooner. */
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
