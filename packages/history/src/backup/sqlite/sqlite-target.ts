import type { Database } from '@svc/sqlite'
import { connectionTo } from '../../sqlite/connection.ts'
import { openForWriting } from '../../sqlite/open-database.ts'
import { lockStore } from '../../sqlite/store-lock.ts'
import { createRowWriter } from '../../sqlite/usage-rows.ts'
import {
  createImportTarget,
  type ImportEngine,
  type ImportOrigin,
  type ImportTarget,
} from '../target/import-target.ts'
import { BACKUP_PAGE_CACHE } from './sqlite-source.ts'

/** The target for a file, created if missing. Throws HistoryError: `locked` while a service holds it. */
export async function withFileTarget<Result>(
  path: string,
  origin: ImportOrigin,
  write: (target: ImportTarget) => Promise<Result>,
): Promise<Result> {
  const lock = lockStore(path)
  try {
    const db = openForWriting(lock.path)
    try {
      db.pragma(BACKUP_PAGE_CACHE)
      return await write(await createImportTarget(importInto(db), origin))
    } finally {
      if (db.inTransaction) db.exec('ROLLBACK')
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
    }
  } finally {
    lock.release()
  }
}

/** Import engine of an open file. */
export function importInto(db: Database): ImportEngine {
  return {
    db: connectionTo(db),
    rows: createRowWriter(db),
    // There is no other writer.
    lockCut: async () => undefined,
    rowsPerTransaction: 1_000,
  }
}
