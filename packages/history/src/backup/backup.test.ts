import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, HOUR_MS, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHistory, openUsage } from '../open-history.ts'
import type { HistoryStore } from '../sql/history-store.ts'
import { openFile } from '../sqlite/sqlite.ts'
import { exportBackup } from './export-backup.ts'
import { importBackup } from './import-backup.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const DAY_MS = 86_400_000
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-backup-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
const fresh = (name: string) => {
  count += 1
  return join(folder, `${count}-${name}`)
}
const exported = async (statePath: string, exportedAt = 'then') => {
  const output = fresh('backup.json')
  await exportBackup({ statePath, output, exportedAt, appVersion: '0.1.0' })
  return output
}
const imported = (statePath: string, file: string) => importBackup({ statePath, file, now: NOW })
/** A new store with these backups in it, one after the other. */
const mergeOf = async (files: readonly string[]) => {
  const path = fresh('merged.db')
  for (const file of files) await imported(path, file)
  return path
}
const text = (path: string) => readFileSync(path, 'utf8')

const details = (rows: number): readonly UsageDetail[] =>
  Array.from({ length: rows }, (_, index) => ({
    at: plusMs(NOW, -index * 61_000),
    key: BigInt(index) * 7_919n - 40_000n,
    accountKey: `account-${index % 7}`,
    apiName: ['sk-live-1', '=cmd()', '"quoted"\n', '__proto__'][index % 4] ?? '',
    model: `model-${index % 3}`,
    tokens: index * 11,
    failed: index % 10 === 0,
  }))

/** Has requests up to a minute before this time in the sums by rate, and those from then on wait. */
const sumRatesUntil = (asOf: EpochMs, store: HistoryStore) =>
  store.retain({ usageDays: 365, historyDays: 365 }, { asOf, rowsMax: 1 })

/** A store with these rows, of which those of the last hour are not in the sums by rate, and one of everything else. */
async function aStore(rows: readonly UsageDetail[], path = fresh('history.db')): Promise<string> {
  const store = await openHistory(path)
  await sumRatesUntil(plusMs(NOW, -HOUR_MS), store)
  await store
    .usageOf(DEFAULT_UPSTREAM)
    .record(
      { receivedAt: NOW, details: rows, quarantined: [], saturatedCount: 0 },
      { lastPollAt: NOW, treeRequests: null },
    )
  await store.usageOf(DEFAULT_UPSTREAM).nameAccounts(new Map([['account-1', 'one@example.com']]))
  await store.usageOf(DEFAULT_UPSTREAM).recordGap({
    from: plusMs(NOW, -90_000),
    to: plusMs(NOW, -30_000),
    reason: 'batch_lost',
  })
  await store.quota.record({
    points: [
      {
        provider: 'codex',
        windowId: '5h',
        at: NOW,
        knownUnits: 1.5,
        trackedUnits: 2,
        unknownUnits: 0,
        burnedUnits: 0.25,
      },
    ],
    readings: [
      { accountKey: 'account-1', windowId: 'week', at: NOW, percent: 61.5, resetAt: null },
    ],
    changes: [
      { at: NOW, tone: 'good', detail: { code: 'account_added', title: 'one@example.com' } },
    ],
  })
  await store.close()
  return path
}

describe('a backup', () => {
  it.each([0, 1, 1_000, 25_000])('of %i rows comes back byte for byte, and again', async (rows) => {
    const first = await exported(await aStore(details(rows)))
    const copy = fresh('copy.db')
    expect(await imported(copy, first)).toMatchObject({ added: rows })
    expect(await imported(copy, first)).toMatchObject({ added: 0 })

    expect(text(await exported(copy))).toBe(text(first))
    expect(statSync(first).mode & 0o777).toBe(0o600)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
  })

  it.each([1, 2, 3])(
    'is not made of a file of schema %i, which is left as it is',
    async (schema) => {
      const path = fresh('former.db')
      copyFileSync(join(import.meta.dirname, `../../fixtures/schema-${schema}.db`), path)
      const before = readFileSync(path)

      await expect(exported(path)).rejects.toThrow(
        /earlier version: start the service with it once/,
      )
      expect(readFileSync(path).equals(before)).toBe(true)
    },
  )

  it('that the system does not let be read is no failure of the disk under the store', async (context) => {
    const unreadable = '/proc/self/mem'
    if (!existsSync(unreadable)) return context.skip('skipped, because there is no such file')

    await expect(imported(fresh('copy.db'), unreadable)).rejects.toThrow(
      'the backup cannot be read (EIO)',
    )
  })

  it('of the format before is taken, with sums by rate made of its rows', async () => {
    const target = fresh('target.db')
    await imported(target, join(import.meta.dirname, '../../fixtures/backup-3.json'))

    const wanted = JSON.parse(text(join(import.meta.dirname, '../../fixtures/schema-4.json')))
    const { tables } = JSON.parse(text(await exported(target)))
    expect(tables).toEqual(wanted.tables)
  })

  it('of the format before says from when on sums by rate are whole, where its rows are gone', async () => {
    const target = fresh('target.db')
    const whole = text(join(import.meta.dirname, '../../fixtures/backup-3.json'))
    const rows = /"usage":\[\n[\s\S]*?\n\],/.exec(whole)?.[0] ?? ''
    const without = whole.replace(rows, '"usage":[],').replace('"usage":30', '"usage":0')
    const tables = without.slice(without.indexOf('"tables":') + 9, without.lastIndexOf(',"sha256"'))
    const digest = createHash('sha256').update(tables).digest('hex')
    const file = fresh('backup.json')
    writeFileSync(file, without.replace(/"sha256":"\w+"/, `"sha256":"${digest}"`))
    await imported(target, file)

    const days: number[] = JSON.parse(whole).tables.days.map((row: number[]) => row[1])
    const db = openFile(target)
    const since = db.prepare("SELECT value FROM meta WHERE name = 'pairs_since_ms'").pluck().get()
    db.close()
    expect(since).toBe(String(Math.max(...days) * 1000 + DAY_MS))
  })

  it('is one JSON document that says what it is', async () => {
    const document = JSON.parse(
      text(await exported(await aStore(details(3)), '2026-11-20T12:00:00.000Z')),
    )

    expect(document).toMatchObject({
      format: 'svc-quota-monitor-history',
      formatVersion: 4,
      exportedAt: '2026-11-20T12:00:00.000Z',
      schemaVersion: 7,
      containsSecrets: true,
      counts: { usage: 3 },
    })
    expect(document.tables.usage).toHaveLength(3)
    expect(document.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it('is the same once all requests are in the sums by rate', async () => {
    const path = await aStore(details(300))
    const before = text(await exported(path))
    const store = await openHistory(path)
    await sumRatesUntil(plusMs(NOW, HOUR_MS), store)
    await store.close()

    expect(text(await exported(path))).toBe(before)
  })

  it('is added to a store in which requests of its days wait for the sums by rate', async () => {
    const origin = fresh('origin.db')
    await (await openHistory(origin)).close()
    const identity = await exported(origin)
    const storeOf = async (rows: readonly UsageDetail[]) => {
      const path = fresh('related.db')
      await imported(path, identity)
      return await aStore(rows, path)
    }
    const path = await storeOf(details(50).slice(5))
    const older = details(50).map((row) => ({ ...row, at: plusMs(row.at, -10 * DAY_MS) }))
    const all = await exported(await storeOf([...details(120), ...older]))
    await imported(path, await exported(await storeOf(older)))
    const since = openFile(path).prepare("SELECT 1 FROM meta WHERE name = 'pairs_since_ms'")
    expect(since.all()).toEqual([])
    await imported(path, all)

    expect(text(await exported(path))).toBe(text(all))
  })

  it('put together from parts is the same whatever the order and the overlap', async () => {
    const all = details(60)
    const origin = fresh('origin.db')
    await (await openHistory(origin)).close()
    const identity = await exported(origin)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.subarray([...all]), { minLength: 2, maxLength: 4 }),
        async (parts) => {
          const backups: string[] = []
          for (const part of parts) {
            // Parts of one store share its identity.
            const path = fresh('part.db')
            await imported(path, identity)
            backups.push(await exported(await aStore(part, path)))
          }
          const merge = async (files: readonly string[]) =>
            text(await exported(await mergeOf(files)))
          expect(await merge(backups.toReversed())).toBe(await merge(backups))
          expect(await merge([...backups, ...backups])).toBe(await merge(backups))
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 8 : 3 },
    )
  }, 60_000)

  it('and a later one, from which rows are gone, give all rows and the sums of all, whatever the order', async () => {
    const path = await aStore(
      details(50).map((row) => ({ ...row, at: plusMs(row.at, -100 * DAY_MS) })),
    )
    const before = await exported(path)
    const store = await openHistory(path)
    while (
      await store.retain({ usageDays: 90, historyDays: 365 }, { asOf: NOW, rowsMax: 2_000 })
    ) {}
    await store.close()
    const after = await exported(path)
    expect(JSON.parse(text(after)).counts).toMatchObject({
      usage: 0,
      days: JSON.parse(text(before)).counts.days,
    })
    expect(text(await exported(await mergeOf([after])))).toBe(text(after))

    for (const files of [
      [before, after],
      [after, before],
      [after, before, after],
    ]) {
      const target = await mergeOf(files)
      const { tables } = JSON.parse(text(await exported(target)))
      expect(tables.usage).toEqual(JSON.parse(text(before)).tables.usage)
      expect(tables.days).toEqual(JSON.parse(text(before)).tables.days)
      const usage = await openUsage({ location: target, retentionDays: 90 })
      expect(
        (await usage.series({ range: 'all', group: 'total', metric: 'tokens', top: 1 }, NOW)).totals
          .requests,
      ).toBe(50)
      await usage.close()
    }
  })
})

describe('a file that is no sound backup is refused whole', () => {
  const good = async () => text(await exported(await aStore(details(40))))
  const refusal = async (content: string | Buffer) => {
    const file = fresh('bad.json')
    writeFileSync(file, content)
    const target = await aStore(details(2))
    const before = await exported(target)
    const message = await imported(target, file).then(
      () => 'was taken',
      (error: Error) => error.message,
    )
    expect(text(await exported(target)), 'the store is as it was').toBe(text(before))
    return message
  }

  it.each<readonly [why: string, change: (backup: string) => string, message: RegExp]>([
    ['empty', () => '', /not a backup/],
    ['not JSON', () => 'hello\nworld', /not a backup/],
    ['another document', () => '{"format":"else","tables":{\n}}', /not a backup/],
    [
      'of a newer format',
      (backup) => backup.replace('"formatVersion":4', '"formatVersion":5'),
      /newer version/,
    ],
    ['truncated', (backup) => backup.slice(0, backup.length / 2), /ends in the middle|line \d+/],
    [
      'without its last line',
      (backup) => backup.slice(0, backup.lastIndexOf('\n},')),
      /ends in the middle/,
    ],
    [
      'a row short',
      (backup) => backup.replace(/\n\[17\d+,"[^\n]*/, ''),
      /number of rows|checksum|line \d+/,
    ],
    ['one digit different', (backup) => backup.replace('"account-1"', '"account-2"'), /checksum/],
    [
      'with a negative count',
      (backup) => backup.replace(/,(\d+),(0|1),"default"/, ',-5,$2,"default"'),
      /not a row of usage/,
    ],
    [
      'with a fraction of a token',
      (backup) => backup.replace(/,(\d+),(0|1),"default"/, ',0.5,$2,"default"'),
      /not a row of usage/,
    ],
    [
      'with a number beyond all numbers',
      (backup) => backup.replace(/,(\d+),(0|1),"default"/, ',1e999,$2,"default"'),
      /not a row of usage/,
    ],
    [
      'with more requests in a day than can be',
      (backup) => backup.replace(/(\["total",\d+,"","",)\d+/, '$19007199254740991'),
      /not a row of days/,
    ],
    [
      'with more failures in a day than can be',
      (backup) => backup.replace(/(\["total".*,)\d+(,0,0,0,0,0,0,0,0\])/, '$110000000001$2'),
      /not a row of days/,
    ],
    ['with something after it', (backup) => `${backup}{}\n`, /line \d+/],
    [
      'with a column too many',
      (backup) => backup.replace(/,null\],\n/, ',null,7],\n'),
      /not a row of usage/,
    ],
    [
      'with its tables in another order',
      (backup) => backup.replace('"accounts":[', '"models":['),
      /line \d+/,
    ],
  ])('%s', async (_, change, message) => {
    expect(await refusal(change(await good()))).toMatch(message)
  })

  it('with any single byte changed', async () => {
    const bytes = Buffer.from(await good())
    const start = bytes.indexOf('"tables"')
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: start, max: bytes.byteLength - 2 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const changed = Buffer.from(bytes)
          changed[at] = (changed[at] ?? 0) ^ flip
          expect(await refusal(changed)).not.toBe('was taken')
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 60 : 20 },
    )
  }, 60_000)

  it('that is no regular file', async () => {
    mkdirSync(join(folder, 'a-folder'), { recursive: true })
    await expect(imported(fresh('t.db'), join(folder, 'a-folder'))).rejects.toThrow(
      /not a regular file/,
    )
    await expect(imported(fresh('t.db'), join(folder, 'missing'))).rejects.toThrow(/cannot be read/)
  })
})

describe('the file of an export', () => {
  it('is never put in the place of another, the store itself included', async () => {
    const statePath = await aStore(details(5))
    const before = readFileSync(statePath)
    const link = fresh('link.json')
    symlinkSync(statePath, link)
    for (const output of [statePath, link]) {
      await expect(
        exportBackup({ statePath, output, exportedAt: 'then', appVersion: '0' }),
      ).rejects.toThrow(/exists already/)
    }
    expect(readFileSync(statePath)).toEqual(before)
  })

  it('has its name only when it is complete', async () => {
    const output = fresh('backup.json')
    const stop = AbortSignal.abort()
    await expect(
      exportBackup({
        statePath: await aStore(details(25_000)),
        output,
        exportedAt: 'then',
        appVersion: '0',
        stop,
      }),
    ).rejects.toThrow(/interrupted/)
    expect(readdirSync(folder).filter((name) => join(folder, name).startsWith(output))).toEqual([])
  })

  it.each(['none.db', 'nowhere/none.db'])(
    'is not made where there is no store: %s',
    async (name) => {
      const output = fresh('backup.json')
      await expect(
        exportBackup({
          statePath: join(folder, name),
          output,
          exportedAt: 'then',
          appVersion: '0',
        }),
      ).rejects.toMatchObject({
        code: 'cannot_open',
        message: 'there is no history store at the path that was given',
      })
      expect(existsSync(output)).toBe(false)
    },
  )

  it('needs a folder', async () => {
    const output = join(folder, 'nowhere', 'backup.json')
    await expect(
      exportBackup({ statePath: await aStore([]), output, exportedAt: 'then', appVersion: '0' }),
    ).rejects.toThrow(/folder does not exist/)
  })
})

it('a store in use is not imported into', async () => {
  const path = await aStore([])
  const backup = await exported(path)
  const service = await openHistory(path)
  await expect(imported(path, backup)).rejects.toMatchObject({ code: 'locked' })
  await service.close()
  await expect(imported(path, backup)).resolves.toMatchObject({ added: 0 })
})
