import { statSync } from 'node:fs'
import { openForReading } from './open-database.ts'
import { historyErrorOf } from './sqlite-error.ts'

/** Counts and sizes of a store, without any row. */
export interface StoreShape {
  readonly schemaVersion: number
  readonly fileBytes: number
  /** Bytes of the log file; 0 without one. */
  readonly walBytes: number
  readonly pageBytes: number
  readonly freePages: number
  readonly journalMode: string
  readonly rowsByTable: Readonly<Record<string, number>>
}

/** Reads counts and sizes of a store. Throws HistoryError: the reason why it cannot be read. */
export function storeShape(path: string): StoreShape {
  try {
    const db = openForReading(path)
    try {
      const pragma = (name: string) => db.pragma(name, { simple: true })
      const tables = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .pluck()
        .all() as string[]
      const rows = tables.map(
        (name) =>
          [
            name,
            Number(
              db
                .prepare(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
                .pluck()
                .get(),
            ),
          ] as const,
      )
      return {
        schemaVersion: Number(pragma('user_version')),
        fileBytes: statSync(path).size,
        walBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
        pageBytes: Number(pragma('page_size')),
        freePages: Number(pragma('freelist_count')),
        journalMode: String(pragma('journal_mode')),
        rowsByTable: Object.fromEntries(rows),
      }
    } finally {
      db.close()
    }
  } catch (error) {
    throw historyErrorOf(error)
  }
}
