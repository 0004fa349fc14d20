import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS, epochMs, HOUR_MS, plusMs } from '@svc/core'
import { afterAll, describe, expect, it } from 'vitest'
import { exportBackup } from '../backup/export-backup.ts'
import { importBackup } from '../backup/import-backup.ts'
import { openHistory } from '../open-history.ts'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, aDetail } from '../testing/stored-usage.ts'
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

    it.each([null, 'berlin'])('with its days that lack sums by rate, as proxy %s', async (as) => {
      const [file, address] = [fresh('earlier.db'), await databases.nextAddress()]
      copyFileSync(join(FIXTURES, 'schema-1.db'), file)
      await (await openHistory(file)).close()
      await move(file, address, as)
      const ofName = "FROM svc_quota_monitor.meta WHERE name = 'pairs_since_ms'"
      const database = new URL(address).pathname.slice(1)

      expect(await (await databases.server()).sql(`SELECT value ${ofName}`, database)).toBe(
        String(Date.UTC(2026, 10, 18)),
      )
    })

    it('with requests that are not in the sums by rate of either side', async () => {
      const [file, address] = [fresh('late.db'), await databases.nextAddress()]
      const record = async (hoursAgo: number, isNew: boolean) => {
        const store = await openHistory(file)
        const plan = { usageDays: 90, historyDays: 90 }
        if (isNew) await store.retain(plan, { asOf: plusMs(NOW, -DAY_MS), rowsMax: 1 })
        const late = plusMs(NOW, -hoursAgo * HOUR_MS)
        await store.usageOf('default').record(aBatch([aDetail(hoursAgo, { at: late })]))
        await store.close()
      }
      await record(3, true)
      expect(await move(file, address)).toMatchObject({ added: 1, differences: [] })
      const database = await openHistory(address)
      await database.retain(
        { usageDays: 90, historyDays: 90 },
        { asOf: plusMs(NOW, -2 * HOUR_MS), rowsMax: 1 },
      )
      await database.close()
      await record(1, false)

      expect(await move(file, address)).toMatchObject({ added: 1, differences: [] })
      expect(content(await exported(address))).toBe(content(await exported(file)))
    })
  },
)
