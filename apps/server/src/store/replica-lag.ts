import { inspectDatabase } from '@svc/history'
import type { StorePlace } from './store-threads.ts'

/** How far the standby that is read from is behind. */
export interface ReplicaLag {
  /** As it was seen when this was last asked, since when it is looked at anew; null without a standby, and while it cannot be asked. */
  seconds(): number | null
}

/** Looks beside the writer, which must not wait for a standby that does not answer. */
export function createReplicaLag(
  { replica, passwordFile }: Omit<StorePlace, 'location'>,
  inspect: typeof inspectDatabase = inspectDatabase,
): ReplicaLag {
  let seen: number | null = null
  let isLooking = false
  const look = async (address: string) => {
    isLooking = true
    seen = await inspect(address, passwordFile).then(
      ({ lagSeconds }) => lagSeconds,
      () => null,
    )
    isLooking = false
  }
  return {
    seconds() {
      if (replica !== null && !isLooking) void look(replica)
      return seen
    },
  }
}
