import { statSync } from 'node:fs'
import type { Database } from '@svc/sqlite'
import { HistoryError } from '../contract/history-error.ts'
import type { UsageLocation } from '../contract/history-store.ts'
import { serialQueue } from '../sql/connection.ts'
import type { StoredUsage } from '../sql/usage-reader.ts'
import { createUsageReader } from '../sql/usage-reader.ts'
import { connectionTo } from './connection.ts'
import { NEWEST_VERSION, openForReading } from './open-database.ts'
import { createUsageQueries } from './usage-query.ts'

/** Refuses a store whose schema the writer has not updated yet: it lacks tables the queries need. */
function openUpToDate(location: string): Database {
  const db = openForReading(location)
  if (Number(db.pragma('user_version', { simple: true })) >= NEWEST_VERSION) return db
  db.close()
  throw new HistoryError('cannot_open', 'the history store is not brought up to date yet')
}

/** Opens a store for reading. Throws HistoryError. */
export function openSqliteUsage({ location, retentionDays }: UsageLocation): StoredUsage {
  const db = openUpToDate(location)
  const connection = {
    db: connectionTo(db),
    queries: createUsageQueries(db),
    measured: async () => ({ databaseBytes: fileBytes(location) + fileBytes(`${location}-wal`) }),
  }
  const queue = serialQueue()
  return createUsageReader(
    (read) => queue(() => read(connection)),
    retentionDays,
    () => queue(async () => void db.close()),
  )
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
