import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '@svc/sqlite'
import { openForWriting } from '../sqlite/open-database.ts'

/** The empty database of a store, in a folder of its own. */
export interface FreshDatabase {
  readonly db: Database
  readonly path: string
  /** Rows of a statement, as lists. */
  rows(sql: string): unknown[]
  remove(): void
}

export function freshDatabase(): FreshDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'svc-database-'))
  const path = join(folder, 'history.db')
  const db = openForWriting(path)
  return {
    db,
    path,
    rows: (sql) => db.prepare(sql).raw().all(),
    remove() {
      db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
