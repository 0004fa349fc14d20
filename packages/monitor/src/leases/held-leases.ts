import type { EpochMs } from '@svc/core'
import type { Clock, Lease, LeaseName, Log } from '@svc/core/service'

/** Callbacks for changes of leases. */
export interface LeaseListener {
  /** This monitor took a lease, with this term. */
  readonly onTaken: (name: LeaseName, term: number) => void
  /** A lease was lost, or has a new holder. */
  readonly onChange: (name: LeaseName) => void
}

export interface HeldLeasesDeps extends LeaseListener {
  readonly clock: Clock
  readonly log: Log
}

/** Instant a question was sent, from which the remaining time in its answer counts. */
export interface Asked {
  readonly at: EpochMs
  readonly atMs: number
}

/** Latest answer of the store about each lease. */
export interface HeldLeases {
  /** Takes in an answer of the store. */
  note(lease: Lease, asked: Asked): void
  /** Leases the store last confirmed as ours. */
  names(): readonly LeaseName[]
  /** Whether this monitor may act on the lease now. Never waits; true no longer than the store has confirmed. */
  isHeld(name: LeaseName): boolean
  /** Null unless this monitor holds the lease. */
  termOf(name: LeaseName): number | null
  /** Leases held now, each with its term. */
  held(): ReadonlyMap<LeaseName, number>
  /** Last known holder of a lease; null if it is free. */
  holderOf(name: LeaseName): string | null
  /** Treats these leases as free. */
  forget(names: readonly LeaseName[]): void
  /** Holds no lease from now on, whatever answers still arrive. */
  end(): void
}

interface Confirmed extends Asked {
  readonly lease: Lease
}

export function createHeldLeases({ clock, log, onTaken, onChange }: HeldLeasesDeps): HeldLeases {
  const known = new Map<LeaseName, Confirmed>()
  /** Terms of our leases, until they lapse. */
  const ours = new Map<LeaseName, number>()
  let cancelLapse = () => {}
  let ended = false

  /** The monotonic clock stands still while the machine sleeps; the wall clock does not. */
  const leftMs = ({ lease, at, atMs }: Confirmed): number =>
    lease.remainingMs - Math.max(clock.monotonicMs() - atMs, clock.now() - at)
  const isHeld = (name: LeaseName): boolean => {
    const confirmed = known.get(name)
    return !ended && confirmed !== undefined && confirmed.lease.isOurs && leftMs(confirmed) > 0
  }

  /** Reports the leases that have run out as lost, and schedules itself for the next one. */
  const lapse = () => {
    cancelLapse()
    if (ended) return
    for (const name of [...ours.keys()].filter((own) => !isHeld(own))) {
      ours.delete(name)
      log.warn('lease lost', { lease: name }, 'news')
      onChange(name)
    }
    const left = [...ours.keys()].flatMap((name) => known.get(name) ?? []).map(leftMs)
    if (left.length > 0) cancelLapse = clock.schedule(Math.max(1, Math.min(...left)), lapse)
  }

  return {
    note(lease, asked) {
      const { name, term, holder } = lease
      const before = known.get(name)?.lease.holder ?? null
      known.set(name, { lease, ...asked })
      const isNews = lease.isOurs && ours.get(name) !== term
      if (lease.isOurs) ours.set(name, term)
      lapse()
      if (ended) return
      if (isNews && isHeld(name)) {
        log.info('lease taken', { lease: name, term })
        onTaken(name, term)
      } else if (!lease.isOurs && before !== holder) onChange(name)
    },
    names: () => [...ours.keys()],
    isHeld,
    termOf: (name) => (isHeld(name) ? (known.get(name)?.lease.term ?? null) : null),
    held: () => new Map([...ours].filter(([name]) => isHeld(name))),
    holderOf(name) {
      const confirmed = known.get(name)
      return confirmed === undefined || leftMs(confirmed) <= 0 ? null : confirmed.lease.holder
    },
    forget(names) {
      for (const name of names) {
        known.delete(name)
        ours.delete(name)
      }
    },
    end() {
      ended = true
      cancelLapse()
    },
  }
}
