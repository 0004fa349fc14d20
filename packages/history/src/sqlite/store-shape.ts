import { statSync } from 'node:fs'
import { historyErrorOf } from '../contract/history-error.ts'
import { openForReading } from './open-database.ts'

/** What a store looks like from outside: counts and sizes, and no row. */
export interface StoreShape {
  readonly schemaVersion: number
  readonly fileBytes: number
  /** Bytes of the log that is not yet part of the file; 0 where there is none. */
  readonly walBytes: number
  readonly pageBytes: number
  readonly freePages: number
  readonly journalMode: string
  readonly rowsByTable: Readonly<Record<string, number>>
}

/** Throws HistoryError: what keeps the store from being read. */
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
