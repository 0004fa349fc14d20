import { openSqlite } from '@svc/sqlite'
import type { LeakFinder } from './leak-finder.ts'
import type { Leak } from './verify-file.ts'

const STOP_EVERY_ROWS = 1000

/** Reads every name and cell of a database: a long text is spread over pages, and numbers are not written as digits. */
export function verifyDatabase(path: string, finder: LeakFinder, stop: AbortSignal): Leak | null {
  const db = openSqlite(path, { readonly: true, fileMustExist: true })
  try {
    const entries = db.prepare('SELECT name, rootpage, sql FROM sqlite_schema').all() as {
      name: string
      rootpage: number
      sql: string | null
    }[]
    const pageSize = Number(db.pragma('page_size', { simple: true }))
    for (const { name, rootpage, sql } of entries) {
      const leak: Leak = { offset: Math.max(0, rootpage - 1) * pageSize }
      if (isLeak(finder, `${name} ${sql ?? ''}`)) return leak
      if (sql === null || !/^CREATE TABLE/i.test(sql)) continue
      let count = 0
      for (const cells of db
        .prepare(`SELECT * FROM "${name.replaceAll('"', '""')}"`)
        .raw()
        .safeIntegers()
        .iterate() as IterableIterator<unknown[]>) {
        if (cells.some((cell) => cell !== null && isLeak(finder, cell))) return leak
        count += 1
        if (count % STOP_EVERY_ROWS === 0) stop.throwIfAborted()
      }
    }
    return null
  } finally {
    db.close()
  }
}

function isLeak(finder: LeakFinder, cell: unknown): boolean {
  return (
    finder.find(
      cell instanceof Uint8Array ? Buffer.from(cell) : Buffer.from(String(cell), 'utf8'),
    ) !== null
  )
}
