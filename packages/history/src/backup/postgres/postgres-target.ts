import { migrate } from '../../postgres/migrate.ts'
import { lockCutIn } from '../../postgres/postgres-store.ts'
import { type Session, withSession } from '../../postgres/session.ts'
import { createRowWriter } from '../../postgres/usage-rows.ts'
import {
  createImportTarget,
  type ImportEngine,
  type ImportOrigin,
  type ImportTarget,
} from '../target/import-target.ts'

/** The target for a database, whose schema is created if missing. Monitors may keep writing to it. Rejects with HistoryError. */
export function withDatabaseTarget<Result>(
  location: string,
  passwordFile: string | null,
  origin: ImportOrigin,
  write: (target: ImportTarget) => Promise<Result>,
): Promise<Result> {
  return withSession(location, passwordFile, async (session) => {
    await migrate(session)
    return await write(await createImportTarget(importInto(session), origin))
  })
}

/** Import engine of an open database. */
export function importInto(session: Session): ImportEngine {
  return {
    db: session,
    rows: createRowWriter(session),
    lockCut: (against) => lockCutIn(session, against),
    rowsPerTransaction: 5_000,
  }
}
