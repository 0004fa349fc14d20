import {
  type Clock,
  type Duty,
  type LeaseName,
  type Leases,
  type Log,
  leaseOf,
  POOL_LEASE,
  type ProxyLease,
  type UpstreamName,
} from '@svc/core/service'
import { endsWithin } from '../threads/thread.ts'
import { createLeaseKeeper, type LeaseKeeper, type LeaseKeeperListener } from './lease-keeper.ts'

export interface SharingDeps {
  readonly leases: Leases
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** Divides the proxies among the monitors that share a store. */
export interface Sharing extends Pick<LeaseKeeper, 'isHeld' | 'termOf' | 'held' | 'holderOf'> {
  /** Watches these proxies from now on. */
  use(upstreams: readonly UpstreamName[]): void
  /** Calls `listener` for each lease that becomes ours, after the listeners of `dutyOf`. */
  start(listener: LeaseKeeperListener): void
  dutyOf(upstream: UpstreamName): Duty
  standing(): readonly ProxyLease[]
  /** Gives back all leases, so that the next monitor can take them. Resolves once the store knows or does not answer. */
  stop(): Promise<void>
}

/** Longest wait for the store to be told. */
const STOP_MS_MAX = 1_500

export function createSharing({ leases, clock, random, log }: SharingDeps): Sharing {
  const waiting = new Map<LeaseName, (() => void)[]>()
  let listener: LeaseKeeperListener | null = null
  let upstreams: readonly UpstreamName[] = []
  const keeper = createLeaseKeeper({
    leases,
    clock,
    random,
    log,
    onTaken(name, term) {
      for (const heard of waiting.get(name) ?? []) heard()
      listener?.onTaken(name, term)
    },
    onChange: (name) => listener?.onChange(name),
    onAnswering: () => listener?.onAnswering(),
  })
  const keep = () => {
    if (listener !== null) keeper.use([...upstreams.map(leaseOf), POOL_LEASE])
  }

  return {
    isHeld: keeper.isHeld,
    termOf: keeper.termOf,
    held: keeper.held,
    holderOf: keeper.holderOf,
    use(next) {
      upstreams = next
      keep()
    },
    start(listening) {
      listener = listening
      keep()
    },
    dutyOf: (upstream) => ({
      isOurs: () => keeper.isHeld(leaseOf(upstream)),
      onTaken(heard) {
        const name = leaseOf(upstream)
        waiting.set(name, [...(waiting.get(name) ?? []), heard])
      },
    }),
    standing: () =>
      upstreams.map((upstream) => {
        const name = leaseOf(upstream)
        const holder = keeper.holderOf(name)
        return { upstream, isOurs: keeper.isHeld(name), holder: holder && placeOf(holder) }
      }),
    async stop() {
      await endsWithin(clock, STOP_MS_MAX, keeper.stop())
      await leases.close()
    },
  }
}

/** Separates the place of a monitor, which people know, from the unique text of its process. */
const MARK = '#'

/** Names a process by its place and a unique text. */
export function holderNameOf(place: string, unique: string): string {
  return `${place}${MARK}${unique}`
}

/** Place of the monitor that a holder name stands for. */
function placeOf(holder: string): string {
  const end = holder.lastIndexOf(MARK)
  return end < 0 ? holder : holder.slice(0, end)
}
