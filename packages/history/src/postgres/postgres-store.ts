import type {
  HistoryStore,
  OpenOptions,
  RetentionPlan,
  RetentionStep,
} from '../contract/history-store.ts'
import type { Fence } from '../sql/engine.ts'
import { createHistoryStore } from '../sql/history-store.ts'
import { giveIdentity, readMeta } from '../sql/meta.ts'
import { connectionOf } from './address.ts'
import { createDictionaries } from './dictionary.ts'
import { createFence } from './fence.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/migrations.ts'
import { createPartitions } from './partitions.ts'
import { retentionStep } from './retention.ts'
import { openSession, type Session } from './session.ts'
import { createRowWriter } from './usage-rows.ts'

/** Opens the store at an address; several processes may have it open. Rejects with HistoryError. */
export async function openPostgresStore(
  location: string,
  { passwordFile = null, terms, onUpdate }: OpenOptions = {},
): Promise<HistoryStore> {
  const session = await openSession(connectionOf(location, passwordFile))
  try {
    const version = await migrate(session)
    if (version > 0 && version < migrations.length) onUpdate?.(version, migrations.length)
    return await storeIn(session, createFence(session, terms ?? null))
  } catch (error) {
    await session.close()
    throw error
  }
}

async function storeIn(session: Session, fence: Fence): Promise<HistoryStore> {
  const isNew = await giveIdentity(session)
  const instance = (await readMeta(session)).text('instance') ?? ''
  const serverVersion = await versionOf(session)
  const partitions = createPartitions(session)
  const lockCut = (against: 'moving' | 'reading') => lockCutIn(session, against)
  return createHistoryStore(
    {
      db: session,
      names: createDictionaries(session, instance),
      fence,
      rows: createRowWriter(session, partitions),
      lockCut,
      state: async () => ({ name: 'postgres', serverVersion, dayCount: await partitions.count() }),
      retain: (plan: RetentionPlan, step: RetentionStep) =>
        retentionStep(session, { fence, lockCut, partitions }, plan, step),
      // The database does its own upkeep.
      checkpoint: async () => undefined,
      close: () => session.close(),
    },
    isNew,
  )
}

/**
 * Locks the cut until the transaction ends, so that it does not move while requests are written: otherwise a request could be stored again after its
 * day was dropped, or have no day left. Locks the row of `instance`, because not every store has a row of the cut.
 */
export async function lockCutIn(session: Session, against: 'moving' | 'reading'): Promise<void> {
  await session.rows(
    `SELECT value FROM svc_quota_monitor.meta WHERE name = 'instance' FOR ${against === 'moving' ? 'SHARE' : 'UPDATE'}`,
  )
}

/** The server's version, as in `15.8`. */
async function versionOf(session: Session): Promise<string> {
  const [row] = await session.rows<{ server_version: string }>('SHOW server_version')
  return row?.server_version.split(' ')[0] ?? ''
}
