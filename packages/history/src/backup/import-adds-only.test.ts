import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { openForReading } from '../sqlite/open-database.ts'
import { exportBackup } from './export-backup.ts'
import { importBackup } from './import-backup.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const DAY_MS = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'svc-import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0
const fresh = (name: string) => {
  count += 1
  return join(folder, `${count}-${name}`)
}

/** A request of so many hours ago. */
const detail = (hoursAgo: number): UsageDetail => ({
  at: plusMs(NOW, -hoursAgo * 3_600_000),
  key: BigInt(hoursAgo),
  accountKey: `account-${hoursAgo % 3}`,
  apiName: `key-${hoursAgo % 2}`,
  model: 'model',
  tokens: hoursAgo,
  failed: hoursAgo % 5 === 0,
})

interface StoreShape {
  readonly hoursAgo: readonly number[]
  /** Days rows were kept for before the export; what is older is known by its sums alone. */
  readonly keptDays: number
  /** Age of the requests that are in the sums by rate. */
  readonly summedHours: number
}

async function aStore(
  { hoursAgo, keptDays, summedHours }: StoreShape,
  path = fresh('history.db'),
): Promise<string> {
  const store = await openHistory(path)
  const asOf = plusMs(NOW, -summedHours * 3_600_000)
  await store.retain({ usageDays: 365, historyDays: 365 }, { asOf, rowsMax: 1 })
  await store.usageOf(DEFAULT_UPSTREAM).record({
    receivedAt: NOW,
    details: hoursAgo.map(detail),
    quarantined: [],
    saturatedCount: 0,
  })
  while (await store.retain({ usageDays: keptDays, historyDays: 365 }, { asOf, rowsMax: 2_000 })) {}
  await store.close()
  return path
}
async function exported(statePath: string): Promise<string> {
  const output = fresh('backup.json')
  await exportBackup({ statePath, output, exportedAt: 'then', appVersion: '0' })
  return output
}
const imported = (statePath: string, file: string, now: EpochMs = NOW) =>
  importBackup({ statePath, file, now })

interface Content {
  readonly rows: ReadonlySet<string>
  readonly days: ReadonlyMap<string, readonly number[]>
  readonly cut: string | null
}
function contentOf(path: string): Content {
  const db = openForReading(path)
  try {
    const rate = `' ' || (SELECT name FROM models WHERE id = c.model_id) || ' ' || c.tier || ' ' || c.band`
    const days = db
      .prepare(
        `SELECT grouping || ' ' || bucket_s || ' ' || CASE grouping WHEN 0 THEN '' WHEN 1 THEN a.key WHEN 2 THEN m.name
             WHEN 6 THEN (SELECT key FROM accounts WHERE id = c.member_id) || ${rate} WHEN 7 THEN (SELECT name FROM api_names WHERE id = c.member_id) || ${rate} WHEN 8 THEN ${rate}
             ELSE n.name END AS name, requests, tokens, failed
         FROM rollups LEFT JOIN accounts a ON a.id = rollups.member_id LEFT JOIN models m ON m.id = rollups.member_id LEFT JOIN api_names n ON n.id = rollups.member_id
           LEFT JOIN cells c ON c.id = rollups.member_id
         WHERE tier_seconds = 86400`,
      )
      .raw()
      .all() as [string, number, number, number][]
    return {
      rows: new Set(db.prepare("SELECT at_ms || ' ' || key FROM usage").pluck().all() as string[]),
      days: new Map(days.map(([name, ...sums]) => [name, sums])),
      cut:
        (db.prepare("SELECT value FROM meta WHERE name = 'cut_ms'").pluck().get() as
          | string
          | undefined) ?? null,
    }
  } finally {
    db.close()
  }
}
/** What `before` held and `after` does not, or holds less of. */
function missing(before: Content, after: Content): readonly string[] {
  return [
    ...[...before.rows].filter((row) => !after.rows.has(row)),
    ...[...before.days].flatMap(([name, sums]) =>
      sums.every((sum, index) => sum <= (after.days.get(name)?.[index] ?? -1)) ? [] : [name],
    ),
  ]
}

/** The backup with some of its text replaced, and a checksum that fits. */
function forged(file: string, change: (text: string) => string): string {
  const text = change(readFileSync(file, 'utf8'))
  const tables = text.slice(
    text.indexOf('"tables":') + '"tables":'.length,
    text.lastIndexOf(',"sha256"'),
  )
  const path = fresh('forged.json')
  writeFileSync(
    path,
    text.replace(
      /"sha256":"[0-9a-f]+"/,
      `"sha256":"${createHash('sha256').update(tables).digest('hex')}"`,
    ),
  )
  return path
}
const withMeta = (name: string, value: string) => (text: string) =>
  text.replace(new RegExp(`\\["${name}","[^"]*"\\]`), `["${name}","${value}"]`)

describe('an import', () => {
  const shape = fc.record({
    hoursAgo: fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 25 }),
    keptDays: fc.integer({ min: 1, max: 10 }),
    summedHours: fc.nat(60),
  })

  it('removes and hides nothing, adds nothing the second time, and comes to the same in any order', async () => {
    const origin = fresh('origin.db')
    await (await openHistory(origin)).close()
    const identity = await exported(origin)
    await fc.assert(
      fc.asyncProperty(
        shape,
        fc.array(shape, { minLength: 1, maxLength: 3 }),
        async (target, others) => {
          // Stores of one origin know the same accounts.
          const related = async (one: StoreShape) => {
            const path = fresh('related.db')
            await imported(path, identity)
            return aStore(one, path)
          }
          const backups = await Promise.all(
            others.map(async (other) => await exported(await related(other))),
          )
          const outcomes: Content[] = []
          for (const order of [backups, backups.toReversed()]) {
            const path = await related(target)
            for (const backup of order) {
              const before = contentOf(path)
              await imported(path, backup)
              const after = contentOf(path)
              expect(missing(before, after)).toEqual([])
              expect(after.cut, 'the cut stays where it is').toBe(before.cut)
              await expect(imported(path, backup)).resolves.toMatchObject({ added: 0 })
              expect(contentOf(path)).toEqual(after)
            }
            outcomes.push(contentOf(path))
            const store = await openHistory(path)
            const next = { ...detail(0), at: plusMs(NOW, 1) }
            expect(
              await store.usageOf(DEFAULT_UPSTREAM).record({
                receivedAt: NOW,
                details: [next],
                quarantined: [],
                saturatedCount: 0,
              }),
            ).toMatchObject({ stored: 1 })
            await store.close()
          }
          expect(outcomes[1]).toEqual(outcomes[0])
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 25 : 5 },
    )
  }, 120_000)

  it('of a backup whose cut is of yesterday leaves the rows of the target, and takes all of the backup', async () => {
    const backup = forged(
      await exported(await aStore({ hoursAgo: [1, 50, 99], keptDays: 90, summedHours: 0 })),
      withMeta('cut_ms', String(NOW - DAY_MS)),
    )
    const target = await aStore({ hoursAgo: [2, 60, 120], keptDays: 90, summedHours: 0 })
    const { cut } = contentOf(target)
    await expect(imported(target, backup)).resolves.toMatchObject({ added: 3 })
    expect(contentOf(target)).toMatchObject({ rows: { size: 6 }, cut })
  })
})

describe('a backup that says what cannot be is refused whole, in one line', () => {
  const farAway = '8640000000000000'
  it.each<readonly [why: string, change: (text: string) => string, message: RegExp]>([
    [
      'an endless cut',
      withMeta('cut_ms', 'Infinity'),
      /^line \d+: cut_ms is not a time in the past$/,
    ],
    [
      'a cut in the future',
      withMeta('cut_ms', String(NOW + 400 * DAY_MS)),
      /^line \d+: cut_ms is not a time in the past$/,
    ],
    [
      'a cut before all time',
      withMeta('cut_ms', '-1'),
      /^line \d+: cut_ms is not a time in the past$/,
    ],
    [
      'a first poll that is no number',
      withMeta('first_poll_ms', 'abc'),
      /^line \d+: first_poll_ms is not a time in the past$/,
    ],
    [
      'a first poll in the future',
      withMeta('first_poll_ms', farAway),
      /^line \d+: first_poll_ms is not a time in the past$/,
    ],
    [
      'another name for itself',
      withMeta('instance', "'; DROP"),
      /^line \d+: instance is not what a store gives itself$/,
    ],
    [
      'a weak key',
      withMeta('fingerprint_key', '00'),
      /^line \d+: fingerprint_key is not what a store gives itself$/,
    ],
    [
      'a request of the year 275760',
      (text) => text.replace(/^\[\d+,"1",/m, `[${farAway},"1",`),
      /^line \d+: a time in the future/,
    ],
    [
      'requests out of order',
      (text) => text.replace(/^\[\d+,"1",/m, '[1577836800000,"1",'),
      /^line \d+: not in the order of time$/,
    ],
    [
      'a day that begins at noon',
      (text) => text.replace(/^\["total",(\d+)00,/m, '["total",$160,'),
      /^line \d+: not the start of a day$/,
    ],
    [
      'a reading of the future',
      (text) => text.replace(`"week",${NOW},`, `"week",${farAway},`),
      /^line \d+: a time in the future/,
    ],
    [
      'a gap that ends before it begins',
      (text) => text.replace(/^\[(\d+),(\d+),"batch_lost",/m, '[$2,$1,"batch_lost",'),
      /^line \d+: a gap/,
    ],
  ])('%s', async (_, change, message) => {
    const origin = await aStore({ hoursAgo: [1, 30, 60], keptDays: 90, summedHours: 0 })
    const store = await openHistory(origin)
    await store
      .usageOf(DEFAULT_UPSTREAM)
      .record(
        { receivedAt: NOW, details: [], quarantined: [], saturatedCount: 0 },
        { lastPollAt: NOW, treeRequests: null },
      )
    await store
      .usageOf(DEFAULT_UPSTREAM)
      .recordGap({ from: plusMs(NOW, -60_000), to: NOW, reason: 'batch_lost' })
    await store.quota.record({
      points: [],
      readings: [{ accountKey: 'account-1', windowId: 'week', at: NOW, percent: 5, resetAt: null }],
      changes: [],
    })
    await store.close()
    const sound = await exported(origin)
    const bad = forged(sound, change)
    expect(readFileSync(bad, 'utf8')).not.toBe(readFileSync(sound, 'utf8'))
    const target = await aStore({ hoursAgo: [2], keptDays: 90, summedHours: 0 })
    const before = contentOf(target)
    await expect(imported(target, bad)).rejects.toThrow(message)
    expect(contentOf(target)).toEqual(before)
    await expect(
      imported(
        target,
        forged(sound, (text) => text),
      ),
    ).resolves.toMatchObject({ added: 3 })
  })
})
