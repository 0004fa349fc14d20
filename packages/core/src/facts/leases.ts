import type { UpstreamName } from './upstream.ts'

/** Exclusive right of one monitor among those that share a store: to act for one proxy, or for the pool as a whole. */
export type LeaseName = `proxy/${UpstreamName}` | typeof POOL_LEASE

/** Lease whose holder records the pool's history, deletes expired data and sends notifications. */
export const POOL_LEASE = 'pool'

/** Name of a proxy's lease, whose holder takes usage from the proxy and queries the vendor through it. */
export function leaseOf(upstream: UpstreamName): LeaseName {
  return `proxy/${upstream}`
}

/** The proxy to which a lease belongs; null for any other lease. */
export function proxyOf(lease: LeaseName): UpstreamName | null {
  return lease.startsWith('proxy/') ? lease.slice(lease.indexOf('/') + 1) : null
}

export interface Lease {
  readonly name: LeaseName
  /** Current or last holder of the lease. */
  readonly holder: string
  readonly isOurs: boolean
  /** Increases by one with every change of holder. */
  readonly term: number
  /** Milliseconds until the lease ends, by the store's clock; 0 if it has no holder. */
  readonly remainingMs: number
}

/** The monitor that acts for a proxy, as known to this monitor. */
export interface ProxyLease {
  readonly upstream: UpstreamName
  readonly isOurs: boolean
  /** Null if no monitor acts for the proxy. */
  readonly holder: string | null
}

/** Leases of the monitors that share a store. All methods reject with HistoryError on failure. */
export interface Leases {
  /** Takes free leases and renews ours. Returns the state of each named lease. */
  take(names: readonly LeaseName[]): Promise<readonly Lease[]>
  /** State of the named leases, without those that were never held. */
  standing(names: readonly LeaseName[]): Promise<readonly Lease[]>
  /** Ends our leases, so that another monitor can take over without waiting. */
  release(names: readonly LeaseName[]): Promise<void>
  close(): Promise<void>
}

/** Duration of a lease that is not renewed. See docs/decisions/018-leases.md. */
export const LEASE_MS = 6_000

/** Whether this monitor acts for a proxy that several monitors watch, which means taking its usage and querying the vendor through it. */
export interface Duty {
  isOurs(): boolean
  /** Calls `listener` whenever this monitor takes over, before it acts for the proxy. */
  onTaken(listener: () => void): void
}

/** Duty of the only monitor, which always acts for the proxy. */
export const soleDuty: Duty = {
  isOurs: () => true,
  onTaken: () => undefined,
}
