import { type Clock, POOL_LEASE } from '@svc/core/service'
import type { Sharing } from './sharing.ts'
import type { SeenPool } from './store-threads.ts'
import type { StoreWriter } from './store-writer.ts'

interface SharedHistoryDeps {
  readonly writer: Pick<StoreWriter, 'look' | 'taken' | 'retry' | 'state'>
  readonly clock: Clock
  readonly onSeen: (seen: SeenPool) => void
  readonly onChange: () => void
}

/** What of a history that several monitors may share concerns this one. */
export interface SharedHistory extends Pick<Sharing, 'use' | 'dutyOf' | 'standing'> {
  /** Whether this monitor writes the course of the pool, and knows what was written before. */
  writesCourse(): boolean
  /** Whether another monitor is known to have the lease of the course. */
  anotherWritesCourse(): boolean
}

/** A shared history as its own process begins and ends it. */
export interface OwnSharedHistory extends SharedHistory {
  isStandby(): boolean
  start(): void
  stop(): Promise<void>
}

/** How often a monitor looks at what others have stored, while they decide something. */
const LOOK_MS = 15_000
/** What changes at once, as a hundred leases do, is looked at once. */
const SOON_MS = 250
/** The store could not be read, and nothing is written before it was. */
const RETRY_MS = 1_000

export function createSharedHistory(
  sharing: Sharing,
  { writer, clock, onSeen, onChange }: SharedHistoryDeps,
): OwnSharedHistory {
  /** The term in which what was written before was last looked at. */
  let seenInTerm: number | null = null
  let cancelLook = () => {}
  let isLooking = false
  /** A lease was taken while the store was looked at. */
  let isOutdated = false

  const writesCourse = () => {
    const term = sharing.termOf(POOL_LEASE)
    return term !== null && term === seenInTerm
  }
  const decidesAll = () => writesCourse() && sharing.standing().every(({ isOurs }) => isOurs)

  const look = async () => {
    if (isLooking) return
    isLooking = true
    isOutdated = false
    const term = sharing.termOf(POOL_LEASE)
    // A store that cannot be read says so itself.
    const seen = await writer.look().catch(() => null)
    isLooking = false
    if (seen !== null) {
      onSeen(seen)
      if (sharing.termOf(POOL_LEASE) === term) seenInTerm = term
      onChange()
    }
    if (seen === null && sharing.termOf(POOL_LEASE) !== null) lookIn(RETRY_MS)
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
    dutyOf: sharing.dutyOf,
    standing: sharing.standing,
    use: sharing.use,
    writesCourse,
    anotherWritesCourse: () => sharing.holderOf(POOL_LEASE) !== null && !sharing.isHeld(POOL_LEASE),
    isStandby: () => !sharing.standing().some(({ isOurs }) => isOurs),
    start() {
      sharing.start({
        onTaken(lease) {
          writer.taken(lease)
          isOutdated = true
          lookIn(SOON_MS)
          onChange()
        },
        onChange,
        // While the store is closed this monitor holds the lease and pops nothing, so it is opened at once.
        onAnswering: writer.retry,
        isUsable: () => writer.state().kind === 'ok',
      })
      lookIn(LOOK_MS)
    },
    async stop() {
      cancelLook()
      await sharing.stop()
    },
  }
}
