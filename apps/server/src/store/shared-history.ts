import { type Clock, POOL_LEASE } from '@svc/core/service'
import type { Sharing } from '../leases/sharing.ts'
import type { SeenPool } from './store-threads.ts'
import type { StoreWriter } from './store-writer.ts'

interface SharedHistoryDeps {
  readonly writer: Pick<StoreWriter, 'look' | 'taken' | 'retry' | 'state'>
  readonly clock: Clock
  readonly onSeen: (seen: SeenPool) => void
  readonly onChange: () => void
}

/** One monitor's view of a history that several may share. */
export interface SharedHistory extends Pick<Sharing, 'use' | 'dutyOf' | 'standing'> {
  /** Whether this monitor writes the course of the pool, and has read the earlier course. */
  writesCourse(): boolean
  /** Whether another monitor is known to hold the lease of the course. */
  anotherWritesCourse(): boolean
}

/** A shared history with the calls that its own process starts and ends it by. */
export interface OwnSharedHistory extends SharedHistory {
  isStandby(): boolean
  start(): void
  stop(): Promise<void>
}

/** Interval of looks at the records of other monitors, while they hold leases. */
const LOOK_MS = 15_000
/** Delay of a look, so that changes in a burst, such as a hundred leases, share one look. */
const SOON_MS = 250
/** Delay of another attempt to read the store; nothing is written until one succeeds. */
const RETRY_MS = 1_000

export function createSharedHistory(
  sharing: Sharing,
  { writer, clock, onSeen, onChange }: SharedHistoryDeps,
): OwnSharedHistory {
  /** Term in which the earlier course was last read. */
  let seenInTerm: number | null = null
  let cancelLook = () => {}
  let isLooking = false
  /** True if a lease was taken during the look. */
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
    // A store that cannot be read reports that itself.
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
          void writer.taken(lease)
          isOutdated = true
          lookIn(SOON_MS)
          onChange()
        },
        onChange,
        // While the store is closed this monitor holds the lease and pops nothing, so the store is opened at once.
        onAnswering: writer.retry,
      })
      lookIn(LOOK_MS)
    },
    async stop() {
      cancelLook()
      await sharing.stop()
    },
  }
}
