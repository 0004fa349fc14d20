import type { PoolMemoryUpdate, RememberedPool } from '@svc/core/service'
import type { Database } from '@svc/sqlite'
import { ACCOUNT_PREFIX, poolOfTexts, rowsOfPool, STANDING_NAME } from '../pool/stored-pool.ts'

export interface PoolMemoryStore {
  /** Call inside a transaction. */
  update(update: PoolMemoryUpdate): void
  /** The stored pool; null if none was ever stored. */
  read(): RememberedPool | null
}

/** Creates the store of the pool's last state, which the next process starts from and compares with. */
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
