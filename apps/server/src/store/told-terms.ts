import { type LeaseName, POOL_LEASE, type UpstreamName } from '@svc/core/service'
import type { Sharing } from './sharing.ts'
import type { StoreConnection } from './store-connection.ts'
import type { TakenProxy } from './store-threads.ts'

export interface ToldTermsDeps {
  readonly sharing: Pick<Sharing, 'termOf' | 'held'>
  readonly ask: StoreConnection['ask']
  readonly isOpen: () => boolean
  /** This monitor acts for a proxy, which another may have acted for. */
  readonly onProxyTaken: (upstream: UpstreamName, left: TakenProxy) => void
}

/** Which leases the thread that writes knows to be ours. Nothing is decided before it does. */
export interface ToldTerms {
  /** Tells of a lease that is ours, unless that is known, or the store is not open. */
  tell(lease: LeaseName): Promise<void>
  /** Tells of all that are ours, as the store has been opened. */
  tellAll(): void
  /** Whether a lease is ours now, and the thread knows. */
  isTold(lease: LeaseName): boolean
}

export function createToldTerms({ sharing, ask, isOpen, onProxyTaken }: ToldTermsDeps): ToldTerms {
  const told = new Map<LeaseName, number>()
  const tell = async (lease: LeaseName): Promise<void> => {
    const term = sharing.termOf(lease)
    if (term === null || told.get(lease) === term || !isOpen()) return
    const upstream = upstreamOf(lease)
    try {
      if (upstream === null) await ask((asked) => asked.call('useTerm', [lease, term]))
      const left =
        upstream === null ? null : await ask((asked) => asked.call('takeProxy', [upstream, term]))
      told.set(lease, term)
      if (upstream !== null && left !== null) onProxyTaken(upstream, left)
    } catch {
      // The store fails, and is opened again; or the lease was lost meanwhile.
    }
  }
  return {
    tell,
    tellAll() {
      for (const lease of sharing.held().keys()) void tell(lease)
    },
    isTold(lease) {
      const term = sharing.termOf(lease)
      return term !== null && told.get(lease) === term
    },
  }
}

/** The proxy that a lease is of; null for that of the pool. */
function upstreamOf(lease: LeaseName): UpstreamName | null {
  return lease === POOL_LEASE ? null : lease.slice(lease.indexOf('/') + 1)
}
