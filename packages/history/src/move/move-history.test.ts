import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs } from '@svc/core'
import { afterAll, describe, expect, it } from 'vitest'
import { exportBackup } from '../backup/export-backup.ts'
import { importBackup } from '../backup/import-backup.ts'
import { openHistory } from '../open-history.ts'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { moveHistory } from './move-history.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const NOW = epochMs(Date.UTC(2026, 10, 21))
const folder = mkdtempSync(join(tmpdir(), 'svc-move-'))
const databases = ownDatabases()
afterAll(async () => {
  await databases.remove()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
const fresh = (name: string) => {
  count += 1
  return join(folder, `${count}-${name}`)
}
const exported = async (statePath: string) => {
  const output = fresh('backup.json')
  await exportBackup({ statePath, output, exportedAt: 'then', appVersion: 'fixture' })
  return output
}
/** A backup but for what tells the engines apart. */
const content = (path: string) =>
  readFileSync(path, 'utf8').replace(/"schemaVersion":\d+/, '"schemaVersion":0')
const move = (from: string, to: string, upstream: string | null = null) =>
  moveHistory({ from, to, passwordFile: null, upstream, now: NOW })

const why = whyNoPostgres()
describe.skipIf(why !== null)(
  `a file is moved into a database${why === null ? '' : `: ${why}`}`,
  () => {
    it.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.db')))(
      '%s: all of it, and back into a file',
      async (name) => {
        const present = fresh(name)
        copyFileSync(join(FIXTURES, name), present)
        await (await openHistory(present)).close()
        const original = content(await exported(present))
        const address = await databases.nextAddress()

        const first = await move(present, address)
        expect(first).toMatchObject({ differences: [] })
        expect(await move(present, address)).toEqual({ ...first, added: 0 })
        const through = await exported(address)
        const back = fresh('back.db')
        await importBackup({ statePath: back, file: through, now: NOW })

        expect(first.added).toBeGreaterThan(0)
        expect(content(through)).toBe(original)
        expect(content(await exported(back))).toBe(original)
      },
    )
  },
)
