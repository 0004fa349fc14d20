import type { UpstreamName } from './upstream.ts'

/** What one of several monitors of a store may decide: of one proxy, or of the pool as a whole. Under a wish nothing is decided. */
export type LeaseName = `proxy/${UpstreamName}` | typeof POOL_LEASE | `wish/${UpstreamName}`

/** Whoever has it writes the course of the pool and forgets what is too old. */
export const POOL_LEASE = 'pool'

/** Whoever has it takes usage out of the proxy and asks the vendor through it. */
export function leaseOf(upstream: UpstreamName): LeaseName {
  return `proxy/${upstream}`
}

/** The proxy that a lease lets its holder act for; null where it is none of those. */
export function proxyOf(lease: LeaseName): UpstreamName | null {
  return lease.startsWith('proxy/') ? lease.slice(lease.indexOf('/') + 1) : null
}

/** Its holder wishes to take the proxy over from the monitor that acts for it, which acts for more. */
export function wishOf(upstream: UpstreamName): LeaseName {
  return `wish/${upstream}`
}

/** How a lease stands in the store. */
export interface Lease {
  readonly name: LeaseName
  /** Who has it, or had it last. */
  readonly holder: string
  readonly isOurs: boolean
  /** Grows by one with every change of the holder. */
  readonly term: number
  /** Until it ends, by the clock of the store; 0 where nobody has it. */
  readonly remainingMs: number
}

/** Who acts for a proxy, as far as this monitor knows. */
export interface ProxyLease {
  readonly upstream: UpstreamName
  readonly isOurs: boolean
  /** Null where nobody does. */
  readonly holder: string | null
}

/** Who of several monitors of a store may decide. Every method rejects with HistoryError. */
export interface Leases {
  /** Takes those that nobody has, and prolongs those that are ours. Answers how each of them stands now. */
  take(names: readonly LeaseName[]): Promise<readonly Lease[]>
  /** How these stand; those that nobody ever had are left out. */
  standing(names: readonly LeaseName[]): Promise<readonly Lease[]>
  /** Ends those that are ours, so that the next monitor need not wait. */
  release(names: readonly LeaseName[]): Promise<void>
  close(): Promise<void>
}

/** How long a lease lasts that is not prolonged. See docs/decisions/018-leases.md. */
export const LEASE_MS = 6_000
