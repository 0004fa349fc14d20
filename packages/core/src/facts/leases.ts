import type { UpstreamName } from './upstream.ts'

/** Exclusive right of one of several monitors of a store to act: for one proxy, or for the pool as a whole. */
export type LeaseName = `proxy/${UpstreamName}` | typeof POOL_LEASE

/** Lease whose holder records the pool's history, deletes expired data and notifies targets. */
export const POOL_LEASE = 'pool'

/** Lease whose holder takes usage out of the proxy and queries the vendor through it. */
export function leaseOf(upstream: UpstreamName): LeaseName {
  return `proxy/${upstream}`
}

/** The proxy that a lease lets its holder act for; null for any other lease. */
export function proxyOf(lease: LeaseName): UpstreamName | null {
  return lease.startsWith('proxy/') ? lease.slice(lease.indexOf('/') + 1) : null
}

/** State of a lease in the store. */
export interface Lease {
  readonly name: LeaseName
  /** Monitor that holds the lease, or held it last. */
  readonly holder: string
  readonly isOurs: boolean
  /** Grows by one with every change of holder. */
  readonly term: number
  /** Milliseconds until the lease ends, by the store's clock; 0 if it has no holder. */
  readonly remainingMs: number
}

/** Monitor that acts for a proxy, according to this monitor. */
export interface ProxyLease {
  readonly upstream: UpstreamName
  readonly isOurs: boolean
  /** Null if no monitor acts for the proxy. */
  readonly holder: string | null
}

/** Leases of the monitors that share a store. A method that fails rejects with HistoryError. */
export interface Leases {
  /** Takes free leases and renews ours. Returns the state of each named lease. */
  take(names: readonly LeaseName[]): Promise<readonly Lease[]>
  /** State of the named leases; a lease that was never held is left out. */
  standing(names: readonly LeaseName[]): Promise<readonly Lease[]>
  /** Ends our leases, so that the next monitor does not have to wait. */
  release(names: readonly LeaseName[]): Promise<void>
  close(): Promise<void>
}

/** Duration of a lease that is not renewed. See docs/decisions/018-leases.md. */
export const LEASE_MS = 6_000

/** Whether this monitor acts for a proxy that several monitors watch: takes its usage and queries the vendor through it. */
export interface Duty {
  isOurs(): boolean
  /** Calls `listener` each time this monitor takes over, before it acts for the proxy. */
  onTaken(listener: () => void): void
}

/** Duty of the only monitor, which always acts for the proxy. */
export const soleDuty: Duty = {
  isOurs: () => true,
  onTaken: () => undefined,
}
