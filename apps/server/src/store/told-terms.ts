import { type LeaseName, proxyOf, type UpstreamName } from '@svc/core/service'
import type { Channel } from '../threads/channel.ts'
import type { Sharing } from './sharing.ts'
import type { TakenProxy, WriterApi } from './store-threads.ts'

export interface ToldTermsDeps {
  readonly sharing: Pick<Sharing, 'termOf' | 'held'>
  readonly call: Channel<WriterApi>['call']
  readonly isOpen: () => boolean
  /** This monitor acts for a proxy; `left`: what the one has left that acted for it before, null where nobody else has since. */
  readonly onProxyTaken: (upstream: UpstreamName, left: TakenProxy | null) => void
}

/** Which leases the thread that writes knows to be ours. Nothing is decided before it does. */
export interface ToldTerms {
  /** Tells of a lease that is ours, unless the store is not open. */
  tell(lease: LeaseName): Promise<void>
  /** Tells of all that are ours, as the store has been opened. */
  tellAll(): void
  /** Whether a lease is ours now, and the thread knows. */
  isTold(lease: LeaseName): boolean
}

export function createToldTerms({ sharing, call, isOpen, onProxyTaken }: ToldTermsDeps): ToldTerms {
  const told = new Map<LeaseName, number>()
  const tell = async (lease: LeaseName): Promise<void> => {
    const term = sharing.termOf(lease)
    if (term === null || !isOpen()) return
    const upstream = proxyOf(lease)
    // Lost for a while and had by nobody else: a pop that is marked is our own. A store that was opened meanwhile does not know the term any more.
    const isKept = told.get(lease) === term
    try {
      const left =
        upstream === null || isKept
          ? await call('useTerm', [lease, term]).then(() => null)
          : await call('takeProxy', [upstream, term])
      told.set(lease, term)
      if (upstream !== null) onProxyTaken(upstream, left)
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
