import type { PoolMemoryUpdate, RememberedPool } from '@svc/core/service'
import { ACCOUNT_PREFIX, poolOfTexts, rowsOfPool, STANDING_NAME } from '../pool/stored-pool.ts'
import type { Database } from './sqlite.ts'

export interface PoolMemoryStore {
  /** Call inside a transaction. */
  update(update: PoolMemoryUpdate): void
  /** Null when none was ever kept. */
  read(): RememberedPool | null
}

/** Keeps how the pool was last seen, for the next process to begin with and to compare with. */
export function createPoolMemoryStore(db: Database): PoolMemoryStore {
  const write = db.prepare(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const remove = db.prepare('DELETE FROM meta WHERE name = ?')
  const one = db.prepare('SELECT value FROM meta WHERE name = ?').pluck()
  const accounts = db
    .prepare(
      `SELECT value FROM meta WHERE name >= '${ACCOUNT_PREFIX}' AND name < '${ACCOUNT_PREFIX.trimEnd()}!'`,
    )
    .pluck()
  return {
    update(update) {
      for (const [name, value] of rowsOfPool(update)) {
        if (value === null) remove.run(name)
        else write.run(name, value)
      }
    },
    read: () => poolOfTexts(one.get(STANDING_NAME), accounts.all() as string[]),
  }
}
