import {
  type Clock,
  type Conduct,
  LEASE_MS,
  type LeaseName,
  type Leases,
  leaseOf,
  proxyOf,
  type UpstreamName,
  wishOf,
} from '@svc/core/service'
import type { HeldLeases } from './held-leases.ts'

export interface LeaseBalanceDeps {
  readonly leases: Pick<Leases, 'take' | 'standing' | 'release'>
  readonly clock: Clock
  readonly conductOf: (upstream: UpstreamName) => Conduct
}

/** Evens out the number of proxies per monitor: a monitor with few wishes for a proxy of one with too many, which then hands it over. */
export interface LeaseBalance {
  /** Takes this monitor's next step towards balance. Rejects when the store does not answer. */
  even(names: readonly LeaseName[]): Promise<void>
  /** Whether another monitor wishes for a proxy that is busy. */
  isWishOpen(): boolean
  /** The given leases without those handed over a moment ago, which are left to the monitor that wished for them. */
  withoutGiven(names: readonly LeaseName[]): readonly LeaseName[]
  /** Wishes of this monitor that the store may know of. */
  wishes(): readonly LeaseName[]
}

/** Smallest difference at which one proxy is handed over, before the shares are compared again. With one proxy, or an even split, nothing moves. */
const DIFFERENCE_MIN = 2
/** Milliseconds of imbalance before a monitor wishes for anything: one that dies soon after every start takes nothing over. */
const LASTING_MS = 10_000
const RENEW_MS = 2_000
/** Interval between two handovers of a monitor, and between two looks at the wishes of others. Two renewals, so that all know the holders by then. */
const PACE_MS = 4_000
/** Milliseconds for which a lease that was handed over is left to others. */
const LEFT_MS = LEASE_MS

export function createLeaseBalance(
  held: Pick<HeldLeases, 'isHeld' | 'holderOf' | 'handOver'>,
  { leases, clock, conductOf }: LeaseBalanceDeps,
): LeaseBalance {
  let wished: readonly LeaseName[] = []
  let unevenSinceMs: number | null = null
  let wishAgainMs = Number.NEGATIVE_INFINITY
  let lookAgainMs = Number.NEGATIVE_INFINITY
  let isWishOpen = false
  const leftUntilMs = new Map<LeaseName, number>()

  const wishFor = async (upstreams: readonly UpstreamName[]) => {
    const nowMs = clock.monotonicMs()
    unevenSinceMs = upstreams.length === 0 ? null : (unevenSinceMs ?? nowMs)
    const isLasting = unevenSinceMs !== null && nowMs - unevenSinceMs >= LASTING_MS
    const before = wished
    wished = isLasting ? upstreams.map(wishOf) : []
    const dropped = before.filter((name) => !wished.includes(name))
    if (dropped.length > 0) await leases.release(dropped)
    if (wished.length === 0 || nowMs < wishAgainMs) return
    wishAgainMs = nowMs + RENEW_MS
    await leases.take(wished)
  }

  const handOverOne = async (
    own: readonly UpstreamName[],
    countOf: (holder: string) => number,
  ): Promise<void> => {
    if (own.length < DIFFERENCE_MIN) isWishOpen = false
    if (own.length < DIFFERENCE_MIN || clock.monotonicMs() < lookAgainMs) return
    const wishes = await leases.standing(own.map(wishOf))
    const wanted = new Set(
      wishes
        .filter(({ remainingMs, isOurs }) => remainingMs > 0 && !isOurs)
        .filter(({ holder }) => own.length - countOf(holder) >= DIFFERENCE_MIN)
        .map(({ name }) => name),
    )
    const given = own.find(
      (one) => wanted.has(wishOf(one)) && held.isHeld(leaseOf(one)) && conductOf(one).isAtRest(),
    )
    isWishOpen = wanted.size > 0 && given === undefined
    const nowMs = clock.monotonicMs()
    if (!isWishOpen) lookAgainMs = nowMs + PACE_MS
    if (given === undefined) return
    // No work for this proxy begins from here on.
    held.handOver(leaseOf(given))
    leftUntilMs.set(leaseOf(given), nowMs + LEFT_MS)
    await leases.release([leaseOf(given)])
  }

  return {
    async even(names) {
      const upstreams = names.map(proxyOf).filter((upstream) => upstream !== null)
      const own = upstreams.filter((upstream) => held.isHeld(leaseOf(upstream)))
      const others = sharesOf(upstreams, (upstream) =>
        own.includes(upstream) ? null : held.holderOf(leaseOf(upstream)),
      )
      await wishFor(surplusOf(own.length, others).filter((one) => conductOf(one).isAble()))
      await handOverOne(own, (holder) => others.get(holder)?.length ?? 0)
    },
    isWishOpen: () => isWishOpen,
    withoutGiven(names) {
      const nowMs = clock.monotonicMs()
      return names.filter((name) => nowMs >= (leftUntilMs.get(name) ?? Number.NEGATIVE_INFINITY))
    },
    wishes: () => wished,
  }
}

/** Proxies of each monitor. */
function sharesOf(
  upstreams: readonly UpstreamName[],
  holderOf: (upstream: UpstreamName) => string | null,
): ReadonlyMap<string, readonly UpstreamName[]> {
  const shares = new Map<string, UpstreamName[]>()
  for (const upstream of upstreams) {
    const holder = holderOf(upstream)
    if (holder !== null) shares.set(holder, [...(shares.get(holder) ?? []), upstream])
  }
  return shares
}

/** Proxies of the monitor with the most, if it has at least `DIFFERENCE_MIN` more than `ownCount`; else none. */
export function surplusOf(
  ownCount: number,
  others: ReadonlyMap<string, readonly UpstreamName[]>,
): readonly UpstreamName[] {
  const [most = []] = [...others.values()].sort((one, other) => other.length - one.length)
  return most.length - ownCount >= DIFFERENCE_MIN ? most : []
}
