import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs } from '@svc/core'
import { afterAll, describe, expect, it } from 'vitest'
import { openHistory } from '../../open-history.ts'
import { ownDatabases } from '../../testing/own-databases.ts'
import { whyNoPostgres } from '../../testing/postgres-programs.ts'
import { exportBackup } from '../export-backup.ts'
import { importBackup } from '../import-backup.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')
const NOW = epochMs(Date.UTC(2026, 10, 21))
const folder = mkdtempSync(join(tmpdir(), 'svc-backup-engines-'))
const databases = ownDatabases()
afterAll(async () => {
  await databases.remove()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
const exported = async (statePath: string) => {
  count += 1
  const output = join(folder, `${count}.json`)
  await exportBackup({ statePath, output, exportedAt: 'then', appVersion: 'fixture' })
  return output
}
/** A backup but for what tells the engines apart. */
const content = (path: string) =>
  readFileSync(path, 'utf8').replace(/"schemaVersion":\d+/, '"schemaVersion":0')

const why = whyNoPostgres()
describe.skipIf(why !== null)(`a backup of either engine${why === null ? '' : `: ${why}`}`, () => {
  it.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.db')))(
    'of the store %s goes through the other, byte for byte, and again',
    async (name) => {
      const path = join(folder, name)
      copyFileSync(join(FIXTURES, name), path)
      await (await openHistory(path)).close()
      const original = await exported(path)
      const address = await databases.nextAddress()

      const first = await importBackup({ statePath: address, file: original, now: NOW })
      const second = await importBackup({ statePath: address, file: original, now: NOW })
      const through = await exported(address)
      await importBackup({ statePath: `${path}.copy`, file: through, now: NOW })

      expect([first.added > 0, second.added]).toEqual([true, 0])
      expect(content(through)).toBe(content(original))
      expect(content(await exported(`${path}.copy`))).toBe(content(original))
    },
  )
})
