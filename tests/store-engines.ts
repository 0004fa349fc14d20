import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHistory, openUsage } from '@svc/history'
import { ownDatabases, whyNoPostgres } from '@svc/history/testing'
import type { Engine } from './store-contract.ts'

/** An engine as the tests of every engine need it. */
export interface TestedEngine extends Engine {
  /** Why it cannot be tested here; null where it can. */
  readonly whyNot: string | null
  /** Deletes everything that was made. */
  readonly end: () => Promise<void>
}

/** Every engine that a store can be kept by. */
export function testedEngines(): readonly TestedEngine[] {
  return [sqlite(), postgres()]
}

/** A store is a copy of one that was made before, which takes a tenth of the time. */
function sqlite(): TestedEngine {
  const root = mkdtempSync(join(tmpdir(), 'svc-store-contract-'))
  const empty = join(root, 'empty.db')
  let isMade = false
  let count = 0
  return {
    name: 'sqlite',
    whyNot: null,
    async create() {
      if (!isMade) await (await openHistory(empty)).close()
      isMade = true
      count += 1
      const path = join(root, `${count}.db`)
      copyFileSync(empty, path)
      return {
        open: () => openHistory(path),
        openUsage: () => openUsage({ location: path, retentionDays: 90 }),
        async remove() {
          for (const suffix of ['', '.lock', '-wal', '-shm']) rmSync(path + suffix, { force: true })
        },
      }
    },
    end: async () => rmSync(root, { recursive: true, force: true }),
  }
}

function postgres(): TestedEngine {
  const databases = ownDatabases()
  let made: Promise<string> | null = null
  const makeTemplate = async () => {
    const address = await databases.nextAddress()
    await (await openHistory(address)).close()
    return new URL(address).pathname.slice(1)
  }
  return {
    name: 'postgres-15',
    whyNot: whyNoPostgres(),
    async create() {
      made ??= makeTemplate()
      const template = await made
      const server = await databases.server()
      const name = await server.createDatabase({ template })
      const location = server.address(name)
      return {
        open: () => openHistory(location),
        openUsage: () => openUsage({ location, retentionDays: 90 }),
        remove: async () => void (await server.sql(`DROP DATABASE ${name}`)),
      }
    },
    end: databases.remove,
  }
}
