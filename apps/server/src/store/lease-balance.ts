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

/** Evens out for how many proxies each monitor acts: one that acts for few wishes for what another has too much of, and that one hands it over. */
export interface LeaseBalance {
  /** What of it falls to this monitor now. Rejects when the store does not answer. */
  even(names: readonly LeaseName[]): Promise<void>
  /** Whether another monitor wishes for something that is busy. */
  isWishOpen(): boolean
  /** Those that were not handed over a moment ago, to be taken by who wished for them. */
  withoutGiven(names: readonly LeaseName[]): readonly LeaseName[]
  /** Wishes of this monitor that the store may know of. */
  wishes(): readonly LeaseName[]
}

/** One hands over as much as this at once, and then looks anew. With one proxy, and with as many as can be shared out evenly, nothing moves. */
const DIFFERENCE_MIN = 2
/** Nobody wishes for anything before: a monitor that dies soon after every start takes nothing over. */
const LASTING_MS = 10_000
const RENEW_MS = 2_000
/** Between two that a monitor hands over, and between two looks at what others wish for. Two renewals, so that all know by then who has what. */
const PACE_MS = 4_000
/** How long what was handed over is left to others. */
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
    // From here on nothing is begun for it any more.
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

/** The proxies that each monitor acts for. */
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

/** The proxies of the monitor that acts for most, where one that acts for `ownCount` could act for one of them and still not for more than that monitor. */
export function surplusOf(
  ownCount: number,
  others: ReadonlyMap<string, readonly UpstreamName[]>,
): readonly UpstreamName[] {
  const [most = []] = [...others.values()].sort((one, other) => other.length - one.length)
  return most.length - ownCount >= DIFFERENCE_MIN ? most : []
}
