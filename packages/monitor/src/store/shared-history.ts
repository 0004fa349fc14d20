import type { Snapshot } from '@svc/core'
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
import { createLeaseKeeper } from '../leases/lease-keeper.ts'
import { placeOf } from '../leases/store-leases.ts'
import { endsWithin } from '../threads/thread.ts'
import type { SeenPool } from './store-threads.ts'
import type { StoreWriter } from './store-writer.ts'

type HistoryWriter = Pick<StoreWriter, 'look' | 'useLease' | 'retry' | 'isSilent'>

interface SharedHistoryDeps {
  readonly leases: Leases
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly onSeen: (seen: SeenPool) => void
  readonly onChange: () => void
}

/** Interval at which the records of other monitors are read while they hold leases. */
const LOOK_MS = 15_000
/** Delay before records are read, so that a burst of changes, such as a hundred leases, needs one reading. */
const SOON_MS = 250
/** Delay of another attempt to read the store; nothing is written until one succeeds. */
const RETRY_MS = 1_000
/** Longest wait for the store to be told of the end. */
const STOP_MS_MAX = 1_500

export function createSharedHistory(deps: SharedHistoryDeps) {
  const { leases, clock, onSeen, onChange } = deps
  const waiting = new Map<LeaseName, (() => void)[]>()
  let upstreams: readonly UpstreamName[] = []
  let writer: HistoryWriter | null = null
  /** Term in which the earlier course was last read. */
  let seenInTerm: number | null = null
  let cancelLook = () => {}
  let isLooking = false
  /** True if a lease was taken during the look. */
  let isOutdated = false

  const keeper = createLeaseKeeper({
    ...deps,
    onTaken(lease) {
      for (const heard of waiting.get(lease) ?? []) heard()
      void writer?.useLease(lease)
      isOutdated = true
      lookIn(SOON_MS)
      onChange()
    },
    // While the store is closed this monitor holds the lease and pops nothing, so the store is opened at once.
    onAnswering: () => writer?.retry(),
    mayHold: () => writer?.isSilent() !== true,
  })
  const keep = () => {
    if (writer !== null) keeper.use([...upstreams.map(leaseOf), POOL_LEASE])
  }
  const standing = (): readonly ProxyLease[] =>
    upstreams.map((upstream) => {
      const name = leaseOf(upstream)
      const holder = keeper.holderOf(name)
      return { upstream, isOurs: keeper.isHeld(name), holder: holder && placeOf(holder) }
    })
  const writesCourse = () => {
    const term = keeper.termOf(POOL_LEASE)
    return term !== null && term === seenInTerm
  }
  const decidesAll = () => writesCourse() && standing().every(({ isOurs }) => isOurs)

  const look = async () => {
    if (isLooking) return
    isLooking = true
    isOutdated = false
    const term = keeper.termOf(POOL_LEASE)
    // A store that cannot be read reports that itself.
    const seen = (await writer?.look().catch(() => null)) ?? null
    isLooking = false
    if (seen !== null) {
      onSeen(seen)
      if (keeper.termOf(POOL_LEASE) === term) seenInTerm = term
      onChange()
    }
    if (seen === null && keeper.termOf(POOL_LEASE) !== null) lookIn(RETRY_MS)
    else lookIn(isOutdated ? SOON_MS : LOOK_MS)
  }
  const lookIn = (delayMs: number) => {
    cancelLook()
    cancelLook = clock.schedule(delayMs, () => {
      if (decidesAll()) lookIn(LOOK_MS)
      else void look()
    })
  }

  return {
    termOf: keeper.termOf,
    held: keeper.held,
    /** Watches these proxies from now on. */
    use(next: readonly UpstreamName[]) {
      upstreams = next
      keep()
    },
    dutyOf: (upstream: UpstreamName): Duty => ({
      isOurs: () => keeper.isHeld(leaseOf(upstream)),
      onTaken(heard) {
        const name = leaseOf(upstream)
        waiting.set(name, [...(waiting.get(name) ?? []), heard])
      },
    }),
    standing,
    /** Whether this monitor writes the course of the pool, and has read the earlier course. */
    writesCourse,
    /** Whether another monitor is known to hold the lease of the course. */
    anotherWritesCourse: () => keeper.holderOf(POOL_LEASE) !== null && !keeper.isHeld(POOL_LEASE),
    isStandby: () => !standing().some(({ isOurs }) => isOurs),
    /** Takes leases from now on. The writer hears of each after the listeners of `dutyOf`. */
    start(told: HistoryWriter) {
      writer = told
      keep()
      lookIn(LOOK_MS)
    },
    /** Gives back all leases, so that the next monitor can take them. Resolves once the store knows or does not answer. */
    async stop() {
      cancelLook()
      await endsWithin(clock, STOP_MS_MAX, keeper.stop())
      await leases.close()
    },
  }
}

type OwnSharedHistory = ReturnType<typeof createSharedHistory>

/** This monitor's view of a history that several monitors may share, and of the proxies they have divided among them. */
export type SharedHistory = Pick<
  OwnSharedHistory,
  'use' | 'dutyOf' | 'standing' | 'writesCourse' | 'anotherWritesCourse'
>

/** Tells whether our proxies have changed since the last snapshot. `standing`: the current leases; null if the store is not shared. */
export function createTurnedLeases(standing: () => readonly ProxyLease[] | null) {
  let shown: ReadonlySet<string> | null = null
  const namesOurs = (leases: readonly ProxyLease[]) =>
    leases.filter(({ isOurs }) => isOurs).map(({ upstream }) => upstream)
  return {
    evaluated({ leases }: Pick<Snapshot, 'leases'>) {
      shown = leases === undefined ? null : new Set(namesOurs(leases))
    },
    areTurned() {
      const leases = standing()
      if (leases === null || shown === null) return false
      const ours = namesOurs(leases)
      return ours.length !== shown.size || ours.some((upstream) => !shown?.has(upstream))
    },
  }
}
