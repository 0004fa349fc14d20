import { inspectDatabase } from '@svc/history'
import type { StorePlace } from './store-threads.ts'

/** Lag of the standby that charts are read from. */
export interface ReplicaLag {
  /** Seconds of lag at the last check; each call starts a new check. Null without a standby, and while it does not answer. */
  seconds(): number | null
}

/** Checks at once, outside the writer, which must not wait for a standby that does not answer. */
export function createReplicaLag(
  { replica, passwordFile }: Omit<StorePlace, 'location'>,
  inspect: typeof inspectDatabase = inspectDatabase,
): ReplicaLag {
  let seen: number | null = null
  let isLooking = false
  const look = async () => {
    if (replica === null || isLooking) return
    isLooking = true
    seen = await inspect(replica, passwordFile).then(
      ({ lagSeconds }) => lagSeconds,
      () => null,
    )
    isLooking = false
  }
  void look()
  return {
    seconds() {
      void look()
      return seen
    },
  }
}
