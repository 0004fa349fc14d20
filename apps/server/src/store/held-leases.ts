import type { EpochMs } from '@svc/core'
import type { Clock, Lease, LeaseName, Log } from '@svc/core/service'

/** Callbacks for what happens to leases. */
export interface LeaseListener {
  /** A lease is ours, of this term. */
  readonly onTaken: (name: LeaseName, term: number) => void
  /** A lease is ours no more, or somebody else has it than before. */
  readonly onChange: (name: LeaseName) => void
}

export interface HeldLeasesDeps extends LeaseListener {
  readonly clock: Clock
  readonly log: Log
}

/** When a question was sent: the remaining time of the answer counts from there. */
export interface Asked {
  readonly at: EpochMs
  readonly atMs: number
}

/** What the store has last said of each lease. */
export interface HeldLeases {
  /** Takes in an answer. */
  note(lease: Lease, asked: Asked): void
  /** Those that are ours, as far as was said. */
  names(): readonly LeaseName[]
  /** Whether this monitor may decide now. Never waits; true no longer than the store has confirmed. */
  isHeld(name: LeaseName): boolean
  /** Null unless it is held. */
  termOf(name: LeaseName): number | null
  /** What is held now, with the term of each. */
  held(): ReadonlyMap<LeaseName, number>
  /** Who has it as far as is known; null where nobody does. */
  holderOf(name: LeaseName): string | null
  /** Counts it as ours no more, though the store does not know yet. */
  handOver(name: LeaseName): void
  /** Counts these as nobody's. */
  forget(names: readonly LeaseName[]): void
  /** Holds none from now on, whatever answers still come. */
  end(): void
}

interface Confirmed extends Asked {
  readonly lease: Lease
}

export function createHeldLeases({ clock, log, onTaken, onChange }: HeldLeasesDeps): HeldLeases {
  const known = new Map<LeaseName, Confirmed>()
  /** Terms of what is ours, until it has lapsed. */
  const ours = new Map<LeaseName, number>()
  let cancelLapse = () => {}
  let ended = false

  /** The monotonic clock stands still while the machine sleeps, which the wall clock shows. */
  const leftMs = ({ lease, at, atMs }: Confirmed): number =>
    lease.remainingMs - Math.max(clock.monotonicMs() - atMs, clock.now() - at)
  const isHeld = (name: LeaseName): boolean => {
    const confirmed = known.get(name)
    return !ended && confirmed !== undefined && confirmed.lease.isOurs && leftMs(confirmed) > 0
  }

  /** Says of those whose time is over that they are lost, and looks again when the next one's is. */
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
    handOver(name) {
      known.delete(name)
      ours.delete(name)
      log.info('lease handed over', { lease: name })
      onChange(name)
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
