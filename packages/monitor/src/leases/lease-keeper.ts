import type { EpochMs } from '@svc/core'
import {
  type Clock,
  type Lease,
  type LeaseName,
  type Leases,
  type Log,
  POOL_LEASE,
  TIMER_EARLY_MS,
} from '@svc/core/service'

/** Callbacks for changes of leases. */
interface LeaseListener {
  /** Called when this monitor takes a lease, with its term. */
  readonly onTaken: (name: LeaseName, term: number) => void
  /** Called when a lease is lost or has a new holder. */
  readonly onChange: (name: LeaseName) => void
}

interface HeldLeasesDeps extends LeaseListener {
  readonly clock: Clock
  readonly log: Log
}

/** Instant at which a question was sent; the remaining time in its answer counts from it. */
interface Asked {
  readonly at: EpochMs
  readonly atMs: number
}

interface Confirmed extends Asked {
  readonly lease: Lease
}

/** Latest answer of the store about each lease. */
function createHeldLeases({ clock, log, onTaken, onChange }: HeldLeasesDeps) {
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
    /** Records an answer from the store. */
    note(lease: Lease, asked: Asked) {
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
    /** Leases the store last confirmed as ours. */
    names: (): readonly LeaseName[] => [...ours.keys()],
    /** Whether this monitor may act on the lease now, which ends when the store's confirmation runs out. Never waits. */
    isHeld,
    /** Null unless this monitor holds the lease. */
    termOf: (name: LeaseName): number | null =>
      isHeld(name) ? (known.get(name)?.lease.term ?? null) : null,
    /** Leases held now, each with its term. */
    held: (): ReadonlyMap<LeaseName, number> => new Map([...ours].filter(([name]) => isHeld(name))),
    /** Last known holder of a lease; null if it is free. */
    holderOf(name: LeaseName): string | null {
      const confirmed = known.get(name)
      return confirmed === undefined || leftMs(confirmed) <= 0 ? null : confirmed.lease.holder
    },
    /** Treats these leases as free. */
    forget(names: readonly LeaseName[]) {
      for (const name of names) {
        known.delete(name)
        ours.delete(name)
      }
    },
    /** Holds no lease from now on, whatever answers still arrive. */
    end() {
      ended = true
      cancelLapse()
    },
  }
}

interface LeaseKeeperDeps extends LeaseListener {
  /** Called when the store answers again, after all changes of leases. */
  readonly onAnswering: () => void
  /** Whether this monitor is able to do the work that its leases cover. */
  readonly mayHold: () => boolean
  readonly leases: Pick<Leases, 'take' | 'standing' | 'release'>
  readonly clock: Clock
  /** Uniform in 0..1. */
  readonly random: () => number
  readonly log: Log
}

/**
 * Intervals between two rounds: while others hold a lease that may become free; while this monitor holds all; after a failure; and while free ones
 * remain to take.
 */
const LOOK_MS = 500
const RENEW_MS = 2_000
const RETRY_MS = 500
const NEXT_MS = 150

/** Creates a keeper that is idle until `use` names leases. */
export function createLeaseKeeper(deps: LeaseKeeperDeps) {
  const { leases, clock, random, log } = deps
  const held = createHeldLeases(deps)
  let freeSinceMs: ReadonlyMap<LeaseName, number> = new Map()
  let isFailing = false
  let names: readonly LeaseName[] = []
  let renewedAtMs = Number.NEGATIVE_INFINITY
  let cancelNext = () => {}
  let underWay: Promise<void> | null = null
  let stopped = false

  const ask = async (
    question: 'take' | 'standing',
    asked: readonly LeaseName[],
  ): Promise<ReadonlySet<LeaseName>> => {
    if (stopped || asked.length === 0) return new Set()
    const sent = { at: clock.now(), atMs: clock.monotonicMs() }
    const answers = await leases[question](asked)
    for (const lease of answers) held.note(lease, sent)
    return new Set(answers.filter(({ remainingMs }) => remainingMs > 0).map(({ name }) => name))
  }

  /** Runs a round and resolves with the milliseconds until the next one. */
  const round = async (): Promise<number> => {
    if (!deps.mayHold()) {
      const given = held.names()
      await giveBack(given)
      if (given.length > 0) log.warn('leases given up: the store does not answer', {}, 'news')
      for (const name of given) deps.onChange(name)
      return RETRY_MS
    }
    const own = names.filter((name) => held.names().includes(name))
    const others = names.filter((name) => !own.includes(name))
    const taken = await ask('standing', others)
    const free = others.filter((name) => !taken.has(name))
    const nowMs = clock.monotonicMs()
    freeSinceMs = new Map(free.map((name) => [name, freeSinceMs.get(name) ?? nowMs]))
    const chosen = freeToTake(
      [...freeSinceMs].map(([name, sinceMs]) => ({ name, waitedMs: nowMs - sinceMs })),
      { total: names.length, held: own.length, random },
    )
    const isDue = nowMs - renewedAtMs >= RENEW_MS - TIMER_EARLY_MS
    await ask('take', [...(isDue ? own : []), ...chosen])
    if (isDue) renewedAtMs = nowMs
    if (free.length > chosen.length) return NEXT_MS
    const renewalMs = Math.max(NEXT_MS, renewedAtMs + RENEW_MS - clock.monotonicMs())
    return others.length > chosen.length ? Math.min(LOOK_MS, renewalMs) : renewalMs
  }
  /** Runs a round; logs only the first failure and the end of failures. */
  const roundOrRetry = async (): Promise<number> => {
    const nextMs = await round().catch(() => null)
    if (nextMs === null && !isFailing) log.warn('leases cannot be prolonged', {}, 'news')
    if (nextMs !== null && isFailing) {
      log.info('leases are prolonged again')
      deps.onAnswering()
    }
    isFailing = nextMs === null
    return nextMs ?? RETRY_MS
  }
  /** Schedules the next round; rounds never overlap. */
  const beginIn = (delayMs: number) => {
    cancelNext()
    if (stopped) return
    cancelNext = clock.schedule(delayMs, () => {
      underWay ??= roundOrRetry().then((nextMs) => {
        underWay = null
        beginIn(nextMs)
      })
    })
  }
  const giveBack = async (given: readonly LeaseName[]): Promise<void> => {
    held.forget(given)
    if (given.length > 0) await leases.release(given).catch(() => undefined)
  }

  return {
    isHeld: held.isHeld,
    termOf: held.termOf,
    held: held.held,
    holderOf: held.holderOf,
    /** Manages exactly these leases from now on, and gives back all others. */
    use(next: readonly LeaseName[]) {
      names = [...next]
      void giveBack(held.names().filter((name) => !next.includes(name)))
      if (names.length > 0) beginIn(0)
    },
    /** Gives back all leases; none is held from the moment of the call. Resolves once the store knows or cannot be told. */
    async stop() {
      stopped = true
      cancelNext()
      held.end()
      await giveBack(held.names())
      // A lease that was being taken during the call is given back as well.
      await underWay
      await giveBack(held.names())
    },
  }
}

export type LeaseKeeper = ReturnType<typeof createLeaseKeeper>

/** A lease without a holder, and how long it has been free. */
interface Waiting {
  readonly name: LeaseName
  readonly waitedMs: number
}

interface Share {
  /** Number of all leases. */
  readonly total: number
  /** Number of leases that this monitor holds. */
  readonly held: number
  /** Uniform in 0..1. */
  readonly random: () => number
}

/** Number of parts of all leases; at most one part is taken at once, so that another monitor that starts at the same time gets some as well. */
const PART = 4
/** Longest time in milliseconds that a monitor with all other leases leaves a free one to others; proportionally shorter with fewer leases. */
const PATIENCE_MS = 500
/** Milliseconds for which a monitor that queries no proxy leaves the course to one that does and so knows the pool first. */
const POOL_PATIENCE_MS = 1_000

/** Chooses the free leases that this monitor takes now. No monitor assigns leases: one that holds fewer takes sooner. */
export function freeToTake(
  waiting: readonly Waiting[],
  { total, held, random }: Share,
): readonly LeaseName[] {
  const patienceMs = (PATIENCE_MS * held) / Math.max(1, total)
  const ripe = waiting.filter(({ name, waitedMs }) =>
    name === POOL_LEASE ? held > 0 || waitedMs >= POOL_PATIENCE_MS : waitedMs >= patienceMs,
  )
  const shuffled = ripe
    .map(({ name }) => ({ name, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ name }) => name)
  return shuffled.slice(0, Math.ceil(total / PART))
}
