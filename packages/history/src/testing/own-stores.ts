import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageStore } from '@svc/core/usage'
import { usedDriver } from '@svc/sqlite'
import { HistoryError } from '../contract/history-error.ts'
import { openHistory } from '../open-history.ts'
import type { HistoryStore } from '../sql/history-store.ts'
import { openForReading } from '../sqlite/open-database.ts'

/** A store, and the usage of the one proxy that most tests have. */
export interface OwnStore extends HistoryStore {
  readonly usage: UsageStore
}

/** Stores in a folder of their own. A path that is left out is the newest one. */
export interface OwnStores {
  nextPath(): string
  withStore<Result>(work: (store: OwnStore) => Promise<Result>, at?: string): Promise<Result>
  stored(at?: string): number
  /** Code of the failure to open, or `opened`. */
  opening(at?: string): Promise<unknown>
  remove(): void
}

export function ownStores(): OwnStores {
  const folders: string[] = []
  let path = ''
  const withStore: OwnStores['withStore'] = async (work, at = path) => {
    const store = await openHistory(at)
    try {
      return await work({ ...store, usage: store.usageOf(DEFAULT_UPSTREAM) })
    } finally {
      await store.close()
    }
  }
  return {
    nextPath() {
      const folder = mkdtempSync(join(tmpdir(), 'svc-history-'))
      folders.push(folder)
      mkdirSync(join(folder, 'store'))
      path = join(folder, 'store', 'history.db')
      return path
    },
    withStore,
    stored(at = path) {
      const db = openForReading(at)
      try {
        return Number(db.prepare('SELECT count(*) FROM usage').pluck().get())
      } finally {
        db.close()
      }
    },
    async opening(at = path) {
      try {
        await withStore(async () => undefined, at)
        return 'opened'
      } catch (error) {
        return error instanceof HistoryError ? error.code : error
      }
    },
    remove() {
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** JavaScript expression of the class that opens a database in another program. */
export function databaseClass(): string {
  if (usedDriver().name === 'node:sqlite') return "require('node:sqlite').DatabaseSync"
  const from = new URL('../../../sqlite/package.json', import.meta.url)
  return `require(${JSON.stringify(createRequire(from).resolve('better-sqlite3'))})`
}
