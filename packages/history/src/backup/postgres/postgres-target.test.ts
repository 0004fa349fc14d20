import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { openHistory } from '../../open-history.ts'
import { openFile } from '../../sqlite/sqlite.ts'
import { ownDatabases } from '../../testing/own-databases.ts'
import { pointAt } from '../../testing/pool-course.ts'
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

/** A request of so many hours ago. */
const detail = (hoursAgo: number): UsageDetail => ({
  at: plusMs(NOW, -hoursAgo * 3_600_000),
  key: BigInt(hoursAgo) - 20n,
  accountKey: ['ann', 'bob', 'other:gemini'][hoursAgo % 3] ?? '',
  apiName: ['sk-one', '"quoted"\n'][hoursAgo % 2] ?? '',
  model: 'model',
  tokens: hoursAgo,
  failed: hoursAgo % 5 === 0,
  provider: hoursAgo % 4 === 0 ? 'codex' : null,
  classes:
    hoursAgo % 3 === 0
      ? { tokensIn: 0, tokensCached: 0, tokensWritten: 0, tokensOut: hoursAgo }
      : null,
  cause: hoursAgo % 10 === 0 ? { status: 429, code: 'usage_limit_reached' } : null,
  tier: hoursAgo % 7 === 0 ? 'priority' : null,
})
/** Which requests a store was told of, and for how many days it has kept them: of what is older it knows the sums alone. */
interface Shape {
  readonly hoursAgo: readonly number[]
  readonly keptDays: number
}
const shapes: fc.Arbitrary<Shape> = fc.record({
  hoursAgo: fc.uniqueArray(fc.integer({ min: 0, max: 96 }), { minLength: 1, maxLength: 30 }),
  keptDays: fc.integer({ min: 1, max: 5 }),
})
async function backupOf({ hoursAgo, keptDays }: Shape, origin: string): Promise<string> {
  count += 1
  const path = join(folder, `${count}.db`)
  await importBackup({ statePath: path, file: origin, now: NOW })
  const store = await openHistory(path)
  await store.usageOf(DEFAULT_UPSTREAM).record({
    receivedAt: NOW,
    details: hoursAgo.map(detail),
    quarantined: [],
    saturatedCount: 0,
  })
  while (
    await store.retain({ usageDays: keptDays, historyDays: 365 }, { asOf: NOW, rowsMax: 2_000 })
  );
  await store.close()
  return exported(path)
}

const why = whyNoPostgres()
describe.skipIf(why !== null)(`a database takes backups${why === null ? '' : `: ${why}`}`, () => {
  it.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.db')))(
    'of the store %s, and gives it back byte for byte',
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

  it('with tiers, causes, prices and usable quota, and gives them back byte for byte', async () => {
    const path = join(folder, 'rates.db')
    const store = await openHistory(path)
    const details = Array.from({ length: 60 }, (_, hoursAgo) => detail(hoursAgo))
    const usage = store.usageOf(DEFAULT_UPSTREAM)
    await usage.record({ receivedAt: NOW, details, quarantined: [], saturatedCount: 0 })
    const point = { ...pointAt(NOW, 2), usableUnits: 1.5 }
    await store.quota.record({ points: [point], readings: [], changes: [] })
    await store.close()
    const db = openFile(path)
    db.exec(`INSERT INTO price_sources VALUES (1, 'litellm', '${'a'.repeat(64)}', ${NOW}), (2, 'own', '${'b'.repeat(64)}', ${NOW});
      INSERT INTO prices VALUES (1, 0, 0, 0, 5000000, 500000, NULL, 30000000, 1), (1, 1, 3, 20000, 1, NULL, NULL, 2, 2)`)
    db.close()
    const original = await exported(path)
    const address = await databases.nextAddress()
    for (const statePath of [address, address, `${path}.copy`, `${path}.copy`])
      await importBackup({ statePath, file: original, now: NOW })

    const { counts, tables } = JSON.parse(readFileSync(original, 'utf8'))
    expect(counts).toMatchObject({ prices: 2, capacityPoints: 1 })
    expect(tables.failureCauses.map((row: unknown[]) => [...row.slice(5, 7)])).toEqual(
      expect.arrayContaining([
        [0, 'none'],
        [429, 'usage_limit_reached'],
      ]),
    )
    const failed = tables.failureCauses.reduce(
      (sum: number, row: number[]) => sum + (row[7] ?? 0),
      0,
    )
    expect(failed).toBe(details.filter((one) => one.failed).length)
    expect(content(await exported(address))).toBe(content(original))
    expect(content(await exported(`${path}.copy`))).toBe(content(original))
  })

  it('as a file does, whatever was forgotten in which of them, and in any order', async () => {
    const origin = join(folder, 'origin.db')
    await (await openHistory(origin)).close()
    const identity = await exported(origin)
    await fc.assert(
      fc.asyncProperty(fc.array(shapes, { minLength: 2, maxLength: 3 }), async (parts) => {
        const backups: string[] = []
        for (const part of parts) backups.push(await backupOf(part, identity))
        count += 1
        const file = join(folder, `${count}.db`)
        const address = await databases.nextAddress()
        for (const backup of [...backups, ...backups.toReversed()])
          for (const statePath of [file, address])
            await importBackup({ statePath, file: backup, now: NOW })
        expect(content(await exported(address))).toBe(content(await exported(file)))
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 5 : 2 },
    )
  })

  it('again where it was interrupted', async () => {
    const path = join(folder, 'long.db')
    const store = await openHistory(path)
    const details = Array.from({ length: 12_000 }, (_, index) => ({
      ...detail(index % 90),
      key: BigInt(index),
    }))
    await store
      .usageOf(DEFAULT_UPSTREAM)
      .record({ receivedAt: NOW, details, quarantined: [], saturatedCount: 0 })
    await store.close()
    const [file, statePath] = [await exported(path), await databases.nextAddress()]
    const stop = new AbortController()
    const interrupted = importBackup({
      statePath,
      file,
      now: NOW,
      stop: stop.signal,
      onProgress: ({ rows, total }) => total !== null && rows > 0.7 * total && stop.abort(),
    })
    await expect(interrupted).rejects.toThrow('interrupted: import the same file again to go on')

    const { added } = await importBackup({ statePath, file, now: NOW })
    expect([added > 0, added < details.length]).toEqual([true, true])
    expect(content(await exported(statePath))).toBe(content(file))
  })
})
