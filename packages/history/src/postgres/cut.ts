import { type EpochMs, epochMs } from '@svc/core'
import type { Meta } from '../sql/meta.ts'
import type { Session } from './session.ts'

/**
 * The time before which no request is stored. Writers of requests lock it until their transaction ends, and moving it waits for them: otherwise a
 * request could be stored again after its day was dropped, or have no day left.
 */
export interface Cut {
  read(): Promise<EpochMs>
  /** Reads the cut inside a transaction and locks it against changes. */
  keep(): Promise<EpochMs>
  /** Reads the cut inside a transaction that will move it; null if there is none. */
  take(): Promise<EpochMs | null>
}

/** The row of `instance` is locked instead of the cut's, which not every store has. */
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
