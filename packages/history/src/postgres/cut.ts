import { type EpochMs, epochMs } from '@svc/core'
import type { Meta } from './meta.ts'
import type { Session } from './session.ts'

/**
 * The time before which no request is stored. Whoever stores some keeps it as it is until the transaction ends, and whoever moves it waits for them:
 * else a request could be stored a second time after its day was forgotten, or have no day any more to be stored in.
 */
export interface Cut {
  read(): Promise<EpochMs>
  /** Reads it inside a transaction, which keeps it as it is. */
  keep(): Promise<EpochMs>
  /** Reads it inside a transaction that is about to move it; null where there is none. */
  take(): Promise<EpochMs | null>
}

/** A line that every store has stands for the cut, which not every store has. */
const LINE = `SELECT value FROM svc_quota_monitor.meta WHERE name = 'instance'`

export function createCut(session: Session, meta: Meta): Cut {
  const now = async () => (await meta.read()).instant('cut_ms')
  return {
    read: async () => (await now()) ?? epochMs(0),
    async keep() {
      await session.rows(`${LINE} FOR SHARE`)
      return (await now()) ?? epochMs(0)
    },
    async take() {
      await session.rows(`${LINE} FOR UPDATE`)
      return now()
    },
  }
}
