import { epochMs } from '@svc/core'
import type { PoolMemoryUpdate, RememberedPool } from '@svc/core/service'
import * as v from 'valibot'
import { accountOfText } from '../pool/stored-account.ts'
import type { Database } from './sqlite.ts'

export interface PoolMemoryStore {
  /** Call inside a transaction. */
  update(update: PoolMemoryUpdate): void
  /** Null when none was ever kept. */
  read(): RememberedPool | null
}

const STANDING = 'pool'
/** Accounts stand among what the store knows of itself, each under its file name, so that an older version may still use the store. */
const ACCOUNT = 'account '

const standingSchema = v.object({
  listedAt: v.pipe(v.number(), v.integer()),
  source: v.nullable(v.picklist(['live', 'partial', 'stale', 'unavailable', 'demo'])),
  gatewayUp: v.nullable(v.boolean()),
})

/** Keeps how the pool was last seen, for the next process to begin with and to compare with. */
export function createPoolMemoryStore(db: Database): PoolMemoryStore {
  const write = db.prepare(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const remove = db.prepare('DELETE FROM meta WHERE name = ?')
  const one = db.prepare('SELECT value FROM meta WHERE name = ?').pluck()
  const accounts = db
    .prepare(`SELECT value FROM meta WHERE name >= '${ACCOUNT}' AND name < '${ACCOUNT.trimEnd()}!'`)
    .pluck()
  return {
    update({ texts, ...standing }) {
      write.run(STANDING, JSON.stringify(standing))
      for (const [authName, text] of texts) {
        if (text === null) remove.run(ACCOUNT + authName)
        else write.run(ACCOUNT + authName, text)
      }
    },
    read() {
      const standing = v.safeParse(
        v.pipe(v.string(), v.parseJson(), standingSchema),
        one.get(STANDING),
      )
      if (!standing.success) return null
      const remembered = (accounts.all() as string[])
        .map(accountOfText)
        .filter((account) => account !== null)
      return {
        ...standing.output,
        listedAt: epochMs(standing.output.listedAt),
        accounts: remembered,
      }
    },
  }
}
