import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { textOfAccount } from '@svc/core/service'
import { anAccount, aQuotaSample, evidenceOf } from '@svc/core/testing'
import type { UsageBatch, UsageDetail } from '@svc/core/usage'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exportBackup } from './backup/export-backup.ts'
import { HistoryError } from './history-error.ts'
import { type HistoryStore, openHistory } from './history-store.ts'
import { isNetworkFileSystem, openForReading, openForWriting } from './open-database.ts'
import { tiers } from './rollups.ts'
import { isSafeSqlite, loadSqlite, sqliteVersion } from './sqlite.ts'
import * as tables from './tables.ts'
import { openUsage } from './usage-reader.ts'

const require = createRequire(import.meta.url)
const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const DAY_MS = 86_400_000
/** One store of each released schema, and what an export of it says. */
const FIXTURES = join(import.meta.dirname, '../fixtures')
let folder: string
let path: string
let count = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-history-'))
})
beforeEach(() => {
  count += 1
  mkdirSync(join(folder, String(count)))
  path = join(folder, String(count), 'history.db')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const detail = (number: number, changes: Partial<UsageDetail> = {}): UsageDetail => ({
  at: plusMs(NOW, -number * 1000),
  key: BigInt(number),
  accountKey: `account-${number % 3}`,
  apiName: `key-${number % 2}`,
  model: 'model',
  tokens: 10,
  failed: false,
  ...changes,
})
const details = (length: number) => Array.from({ length }, (_, number) => detail(number))
const batch = (rows: readonly UsageDetail[], changes: Partial<UsageBatch> = {}): UsageBatch => ({
  receivedAt: NOW,
  details: rows,
  quarantined: [],
  saturatedCount: 0,
  ...changes,
})
const stored = (at = path) => {
  const db = openForReading(at)
  try {
    return Number(db.prepare('SELECT count(*) FROM usage').pluck().get())
  } finally {
    db.close()
  }
}
/** Code of the failure to open, or `opened`. */
const opening = (at = path) => {
  try {
    openHistory(at).close()
    return 'opened'
  } catch (error) {
    return error instanceof HistoryError ? error.code : error
  }
}
function withStore<Result>(work: (store: HistoryStore) => Result, at = path): Result {
  const store = openHistory(at)
  try {
    return work(store)
  } finally {
    store.close()
  }
}

describe('a batch', () => {
  it('is stored once however often it comes, within itself too', () => {
    withStore(({ usage, facts }) => {
      expect(usage.record(batch([...details(5), detail(2)]))).toEqual({
        seen: 6,
        stored: 5,
        duplicate: 1,
        quarantined: 0,
        expired: 0,
      })
      expect(usage.record(batch(details(7)))).toEqual({
        seen: 7,
        stored: 2,
        duplicate: 5,
        quarantined: 0,
        expired: 0,
      })
      expect(facts().counters).toMatchObject({ seen: 13, stored: 7, duplicate: 6 })
    })
    expect(stored()).toBe(7)
  })

  it('adds up: seen = stored + duplicate + quarantined + expired', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 30 }), {
          maxLength: 6,
        }),
        fc.nat(5),
        (batches, bad) => {
          count += 1
          const at = join(folder, `sum-${count}.db`)
          withStore((store) => {
            while (store.retain({ usageDays: 2, historyDays: 2 }, { asOf: NOW, rowsMax: 2_000 })) {}
            const quarantined = Array.from(
              { length: bad },
              () => ({ reason: 'bad_tokens', shape: '{}' }) as const,
            )
            for (const numbers of batches) {
              const tally = store.usage.record(
                batch(
                  numbers.map((number) => detail(number)),
                  { quarantined },
                ),
              )
              expect(tally.stored + tally.duplicate + tally.quarantined + tally.expired).toBe(
                tally.seen,
              )
            }
            const { seen, ...parts } = store.facts().counters
            expect(parts.stored + parts.duplicate + parts.quarantined + parts.expired).toBe(seen)
          }, at)
          const distinct = new Set(
            batches
              .flat()
              .filter((number) => NOW - number * 1000 >= Math.floor(NOW / DAY_MS - 2) * DAY_MS),
          )
          expect(stored(at)).toBe(distinct.size)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('is all there or not at all', () => {
    withStore(({ usage, facts }) => {
      const broken = { ...detail(3), model: Symbol('no text') as unknown as string }
      expect(() => usage.record(batch([detail(1), detail(2), broken]))).toThrow()
      expect(facts().counters.seen).toBe(0)
      // What the failed one taught the dictionaries and sums is forgotten as well.
      usage.record(batch([detail(1)]))
    })
    expect(stored()).toBe(1)
    expect(rollupsDiffer(path, NOW)).toEqual([])
  })

  it('older than the history reaches back is counted and leaves no trace', () => {
    withStore((store) => {
      while (store.retain({ usageDays: 90, historyDays: 90 }, { asOf: NOW, rowsMax: 2_000 })) {}
      const old = detail(1, { at: plusMs(NOW, -91 * DAY_MS) })
      expect(store.usage.record(batch([old]))).toMatchObject({ stored: 0, expired: 1 })
    })
    expect(stored()).toBe(0)
    expect(rollupsDiffer(path, NOW)).toEqual([])
  })

  it('keeps a few bad records, never their values', () => {
    withStore(({ usage }) => {
      const quarantined = Array.from(
        { length: 500 },
        () => ({ reason: 'bad_shape', shape: '{a:string}' }) as const,
      )
      usage.record(batch([], { quarantined }))
      usage.record(batch([], { quarantined: quarantined.slice(0, 3) }))
    })
    const db = openForReading(path)
    expect(db.prepare('SELECT count(*) FROM quarantine').pluck().get()).toBe(200)
    db.close()
  })

  it('with more tokens than numbers hold does not break the sums', () => {
    withStore(({ usage }) => {
      const most = Array.from({ length: 2_000 }, (_, number) =>
        detail(number, { tokens: Number.MAX_SAFE_INTEGER }),
      )
      usage.record(batch(most.slice(0, 1_000)))
      usage.record(batch(most.slice(1_000)))
    })
    const usage = openUsage({ path, retentionDays: 90 })
    for (const range of ['1h', '24h', 'all'] as const) {
      expect(
        usage.series({ range, group: 'total', metric: 'tokens', top: 1 }, plusMs(NOW, 1)).totals
          .tokens,
      ).toBe(Number.MAX_SAFE_INTEGER)
    }
    usage.close()
  })
})

describe('retention', () => {
  it('forgets rows by whole days, keeps what they add up to, and gives the space back', () => {
    withStore((store) => {
      const rows = Array.from({ length: 60_000 }, (_, number) =>
        detail(number, { at: plusMs(NOW, -number * 150_000) }),
      )
      for (let start = 0; start < rows.length; start += 5_000)
        store.usage.record(batch(rows.slice(start, start + 5_000)))
      store.checkpoint()
      const before = statSync(path).size
      let steps = 0
      for (let more = true; more; steps += 1)
        more = store.retain({ usageDays: 10, historyDays: 10 }, { asOf: NOW, rowsMax: 2_000 })
      store.checkpoint()
      expect(steps).toBeGreaterThan(20)
      expect(statSync(path).size).toBeLessThan(before / 2)
    })
    const db = openForReading(path)
    const oldest = Number(db.prepare('SELECT min(at_ms) FROM usage').pluck().get())
    expect(oldest).toBeGreaterThanOrEqual(Math.floor(NOW / DAY_MS - 10) * DAY_MS)
    expect(
      db
        .prepare('SELECT sum(requests) FROM rollups WHERE grouping = 0 AND tier_seconds = 86400')
        .pluck()
        .get(),
    ).toBe(60_000)
    for (const { seconds, keptSeconds } of tiers.filter((tier) =>
      Number.isFinite(tier.keptSeconds),
    )) {
      const first = Number(
        db.prepare('SELECT min(bucket_s) FROM rollups WHERE tier_seconds = ?').pluck().get(seconds),
      )
      expect(first + seconds).toBeGreaterThan(NOW / 1000 - keptSeconds - seconds)
    }
    db.close()
  })

  it('takes a cut of the future back, and every gap and change of that clock', () => {
    withStore((store) => {
      store.usage.record(batch([detail(1, { at: plusMs(NOW, -2 * DAY_MS) })]))
      while (
        store.retain(
          { usageDays: 90, historyDays: 90 },
          { asOf: plusMs(NOW, 400 * DAY_MS), rowsMax: 2_000 },
        )
      ) {}
      expect(store.usage.record(batch([detail(2)]))).toMatchObject({ expired: 1 })
      store.usage.recordGap({
        from: plusMs(NOW, -60_000),
        to: plusMs(NOW, 400 * DAY_MS),
        reason: 'retention_exceeded',
      })
      store.quota.record({
        points: [],
        readings: [],
        changes: [
          {
            at: plusMs(NOW, 400 * DAY_MS),
            tone: 'bad',
            detail: { code: 'gateway_changed', up: false },
          },
        ],
      })

      store.settleFuture(NOW)
      expect(store.usage.record(batch([detail(3)]))).toMatchObject({ stored: 1, expired: 0 })
      expect(store.usage.missedMs(plusMs(NOW, -DAY_MS), plusMs(NOW, DAY_MS))).toBe(60_000)
      expect(store.quota.changes(5).map(({ at }) => at)).toEqual([NOW])
      // What was deleted is not counted a second time.
      expect(
        store.usage.record(batch([detail(1, { at: plusMs(NOW, -2 * DAY_MS) })])),
      ).toMatchObject({ expired: 1 })
    })
  })

  it('deletes by its plan, whatever the store says of its cut', () => {
    withStore((store) => void store.usage.record(batch([detail(1)])))
    const db = openForWriting(path)
    db.prepare("INSERT INTO meta (name, value) VALUES ('cut_ms', ?)").run(String(NOW + 1))
    db.close()
    withStore((store) => {
      while (store.retain({ usageDays: 90, historyDays: 90 }, { asOf: NOW, rowsMax: 2_000 })) {}
    })
    expect(stored()).toBe(1)
  })

  it('never goes back: a clock that was wrong loses no row a second time', () => {
    withStore((store) => {
      store.usage.record(batch([detail(1, { at: plusMs(NOW, -5 * DAY_MS) })]))
      while (store.retain({ usageDays: 2, historyDays: 2 }, { asOf: NOW, rowsMax: 2_000 })) {}
      while (
        store.retain(
          { usageDays: 90, historyDays: 90 },
          { asOf: plusMs(NOW, -60 * DAY_MS), rowsMax: 2_000 },
        )
      ) {}
      expect(
        store.usage.record(batch([detail(2, { at: plusMs(NOW, -5 * DAY_MS) })])),
      ).toMatchObject({ expired: 1 })
    })
  })
})

describe('gaps', () => {
  it('are what a pop leaves that the process died in', () => {
    withStore(({ usage }) => {
      usage.record(batch([]), { lastPollAt: plusMs(NOW, -60_000), treeRequests: null })
      usage.markPop(NOW)
    })
    withStore(({ usage }) => {
      expect(usage.endInterruptedPop()).toEqual({
        from: NOW - 60_000,
        to: NOW,
        reason: 'stopped_before_commit',
      })
      expect(usage.endInterruptedPop()).toBeNull()
      expect(usage.missedMs(plusMs(NOW, -DAY_MS), plusMs(NOW, 5))).toBe(60_000)
    })
  })

  it.each([
    ['nothing', 'clearPop'],
    ['a batch', 'record'],
  ] as const)('are none after a pop that brought %s', (_, method) => {
    withStore(({ usage }) => {
      usage.markPop(NOW)
      if (method === 'clearPop') usage.clearPop()
      else usage.record(batch([detail(1)]))
      expect(usage.endInterruptedPop()).toBeNull()
    })
  })

  it('count once where they overlap, and only as far as one looks back', () => {
    withStore(({ usage }) => {
      for (const [from, to] of [
        [-100, -50],
        [-70, -40],
        [-20, -10],
        [-400_000, -300_000],
      ] as const) {
        usage.recordGap({
          from: plusMs(NOW, from * 1000),
          to: plusMs(NOW, to * 1000),
          reason: 'batch_lost',
        })
      }
      expect(usage.missedMs(plusMs(NOW, -DAY_MS), NOW)).toBe(70_000)
      expect(usage.missedMs(plusMs(NOW, -45_000), NOW)).toBe(15_000)
    })
  })
})

describe('a store', () => {
  it('is readable by its owner alone, side files included', () => {
    const store = openHistory(path)
    store.usage.record(batch([detail(1)]))
    for (const suffix of ['', '-wal', '-shm', '.lock'])
      expect(statSync(path + suffix).mode & 0o777, suffix).toBe(0o600)
    store.close()
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  it('is written in full before a commit counts', () => {
    openHistory(path).close()
    const db = openForWriting(path)
    expect([
      db.pragma('synchronous', { simple: true }),
      db.pragma('journal_mode', { simple: true }),
    ]).toEqual([2, 'wal'])
    db.close()
  })

  it('has one writer; the next may come when it has gone, however it went', async () => {
    const store = openHistory(path)
    const other = spawnSync(process.execPath, ['-e', holdLock(path, '')], { encoding: 'utf8' })
    expect(other.stdout).toContain('SQLITE_BUSY')
    store.close()

    const holder = spawn(process.execPath, ['-e', holdLock(path, 'setInterval(() => {}, 1000)')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(holder.stdout, 'data')
    expect(opening()).toBe('locked')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect(opening()).toBe('opened')
  })

  it('is not taken for one when it is something else, and left as it is', () => {
    const cases: readonly (readonly [why: string, make: () => void, code: string])[] = [
      [
        'text',
        () =>
          writeFileSync(
            path,
            'this is no database, and long enough to be looked at twice'.repeat(40),
          ),
        'not_a_database',
      ],
      ['another database', () => foreignDatabase(path), 'not_ours'],
      ['a newer store', () => storeOfVersion(path, 99), 'newer_version'],
      ['a folder', () => mkdirSync(path), 'cannot_open'],
      ['a dangling link', () => symlinkSync(join(folder, 'nowhere', 'x'), path), 'cannot_open'],
    ]
    for (const [why, make, code] of cases) {
      rmSync(path, { recursive: true, force: true })
      make()
      const before = existsSync(path) && statSync(path).isFile() ? readFileSync(path) : null
      expect(opening(), why).toBe(code)
      if (before !== null) expect(readFileSync(path), why).toEqual(before)
    }
  })

  it('needs its folder', () => {
    expect(opening(join(folder, 'nowhere', 'history.db'))).toBe('cannot_open')
  })

  it('begins in an empty file', () => {
    writeFileSync(path, '')
    expect(opening()).toBe('opened')
    expect(stored()).toBe(0)
  })

  it('that was cut off is found damaged when it is used, and not touched', () => {
    withStore(({ usage }) => usage.record(batch(details(20_000))))
    truncateSync(path, 10 * 4096)
    const before = readFileSync(path)
    const result = (() => {
      try {
        return withStore(({ usage }) => usage.record(batch(details(20_000))))
      } catch (error) {
        return error instanceof HistoryError ? error.code : error
      }
    })()
    expect(result).toBe('corrupt')
    expect(
      readFileSync(path)
        .subarray(0, 4096 * 10)
        .equals(before),
    ).toBe(true)
  })

  it('without its WAL file is an earlier, sound state; with that of another store it is never a mixture', () => {
    const other = `${path}.other`
    for (const at of [path, other]) {
      withStore(({ usage }) => usage.record(batch(details(10))), at)
      const store = openHistory(at)
      store.usage.record(
        batch(
          Array.from({ length: 10 }, (_, number) =>
            detail(number + 100 + (at === path ? 0 : 1000)),
          ),
        ),
      )
      copyFileSync(at, `${at}.copy`)
      copyFileSync(`${at}-wal`, `${at}.copy-wal`)
      store.close()
    }
    copyFileSync(`${path}.copy`, `${path}.alone`)
    expect(stored(`${path}.alone`)).toBe(10)
    copyFileSync(`${path}.copy`, `${path}.mixed`)
    copyFileSync(`${other}.copy-wal`, `${path}.mixed-wal`)
    const code = opening(`${path}.mixed`)
    if (code === 'opened') {
      const db = openForReading(`${path}.mixed`)
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      db.close()
    } else expect(code).toMatch(/corrupt|not_a_database/)
  })

  it('that is deleted or replaced while in use is written no more', () => {
    const store = openHistory(path)
    renameSync(path, `${path}.gone`)
    expect(() => store.usage.record(batch([detail(1)]))).toThrow(
      expect.objectContaining({ code: 'replaced' }),
    )
    openHistory(`${path}.new`).close()
    renameSync(`${path}.new`, path)
    expect(() => store.usage.record(batch([detail(1)]))).toThrow(
      expect.objectContaining({ code: 'replaced' }),
    )
    store.close()
  })

  it('that others have locked says so within seconds and goes on afterwards', async () => {
    const store = openHistory(path)
    const rival = spawn(process.execPath, ['-e', lockUntilStdinEnds(path)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(rival.stdout, 'data')
    const reader = openUsage({ path, retentionDays: 90 })
    expect(() => store.usage.record(batch([detail(1)]))).toThrow(
      expect.objectContaining({ code: 'busy' }),
    )
    expect(reader.summary(NOW).history.totals.requests).toBe(0)
    rival.stdin.end()
    await once(rival, 'exit')
    expect(store.usage.record(batch([detail(1)]))).toMatchObject({ stored: 1 })
    reader.close()
    store.close()
  }, 20_000)

  it('in a folder nobody may write is told apart', () => {
    openHistory(path).close()
    if (process.getuid?.() === 0) {
      // Nothing is forbidden to root, so another user tries.
      chmodSync(folder, 0o755)
      chmodSync(join(folder, String(count)), 0o555)
      chmodSync(path, 0o444)
      const script = `const fs = require('node:fs'); process.setuid(65534); try { fs.openSync(${JSON.stringify(path)}, 'a') } catch (error) { console.log(error.code) }`
      expect(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout.trim()).toBe(
        'EACCES',
      )
      chmodSync(join(folder, String(count)), 0o755)
      return
    }
    chmodSync(path, 0o444)
    expect(opening()).toBe('read_only')
  })
})

describe('the schema', () => {
  it('is what the tables say', () => {
    openHistory(path).close()
    const db = openForReading(path)
    for (const table of Object.values(tables)) {
      const { name, columns } = getTableConfig(table)
      const inFile = db
        .prepare(`SELECT name, type, "notnull" FROM pragma_table_info('${name}') ORDER BY name`)
        .raw()
        .all() as [string, string, number][]
      const inCode = columns.map(
        (column) =>
          [
            column.name,
            column.getSQLType().toUpperCase(),
            Number(column.notNull && !(column.primary && column.getSQLType() === 'integer')),
          ] as const,
      )
      expect(
        inFile.map(([column, type]) => [column, type]),
        name,
      ).toEqual(inCode.map(([column, type]) => [column, type]).sort())
    }
    db.close()
  })

  it('is brought up to date step by step, after a copy was made', () => {
    withStore(({ usage }) => usage.record(batch(details(3))))
    const steps = [
      'ALTER TABLE usage ADD COLUMN cost INTEGER',
      'CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT',
    ]
    openForWriting(path, { laterMigrations: steps }).close()
    expect([versionOf(`${path}.before-3`), versionOf(path)]).toEqual([2, 4])
    expect(stored()).toBe(3)
    expect(stored(`${path}.before-3`)).toBe(3)
    expect(statSync(`${path}.before-3`).mode & 0o777).toBe(0o600)
    expect(opening()).toBe('newer_version')
    expect(opening(`${path}.before-3`)).toBe('opened')
  })

  it('is as before when a step fails', () => {
    withStore(({ usage }) => usage.record(batch(details(3))))
    const steps = ['ALTER TABLE usage ADD COLUMN cost INTEGER; SELECT nonsense FROM nowhere']
    expect(() => openForWriting(path, { laterMigrations: steps })).toThrow()
    expect(opening()).toBe('opened')
    openForWriting(path, { laterMigrations: ['ALTER TABLE usage ADD COLUMN cost INTEGER'] }).close()
    expect(stored()).toBe(3)
  })

  it('survives a crash inside any step', async () => {
    for (const at of [0, 1, 2, 3]) {
      const own = `${path}.${at}`
      withStore(({ usage }) => usage.record(batch(details(2_000))), own)
      const child = spawn(process.execPath, ['-e', crashInMigration(own, at)], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await once(child, 'exit')
      expect(opening(own), `after ${at} statements`).toBe('opened')
      expect(stored(own)).toBe(2_000)
    }
  })

  it.each([
    ['3.51.2', false],
    ['3.51.3', true],
    ['3.52.0', true],
    ['4.0.0', true],
    ['3.40.1', false],
  ])('SQLite %s is safe: %s', (version, safe) => {
    expect(isSafeSqlite(version)).toBe(safe)
  })

  it.each([
    ['NFS', 0x6969, true],
    ['SMB', 0x517b, true],
    ['SMB 2', 0xfe534d42, true],
    ['CIFS', 0xff534d42, true],
    ['9p', 0x01021997, true],
    ['ext4', 0xef53, false],
    ['tmpfs', 0x01021994, false],
    ['overlay', 0x794c7630, false],
  ])('is not kept on %s', (_, type, network) => {
    expect(isNetworkFileSystem(type)).toBe(network)
  })

  it.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.db')))(
    'of %s is still read, and says the same',
    async (name) => {
      copyFileSync(join(FIXTURES, name), path)
      openHistory(path).close()
      const output = `${path}.json`
      await exportBackup({ statePath: path, output, exportedAt: 'then', appVersion: 'fixture' })
      expect(readFileSync(output, 'utf8')).toBe(
        readFileSync(join(FIXTURES, name.replace('.db', '.json')), 'utf8'),
      )
    },
  )

  it('runs on a safe SQLite here', () => {
    expect(isSafeSqlite(sqliteVersion())).toBe(true)
  })
})

describe('how the pool was last seen', () => {
  const account = anAccount('ann', {
    message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false },
    messageAt: NOW,
  })
  const remembered = {
    account,
    evidence: evidenceOf([aQuotaSample()], {
      refusedLogin: { inARow: 2, lastAt: NOW, httpStatus: 401 },
    }),
  }
  const { authName } = account.selector
  const nothing = { points: [], readings: [], changes: [] }
  const standing = { listedAt: NOW, source: 'live', gatewayUp: true } as const

  it('is there for the next process, as it was', () => {
    withStore(({ quota }) => {
      expect(quota.remembered()).toBeNull()
      quota.record(nothing, { ...standing, texts: [[authName, textOfAccount(remembered)]] })
    })
    withStore(({ quota }) => {
      expect(quota.remembered()).toEqual({ ...standing, accounts: [remembered] })
      quota.record(nothing, { ...standing, gatewayUp: null, texts: [[authName, null]] })
      expect(quota.remembered()).toEqual({ ...standing, gatewayUp: null, accounts: [] })
    })
  })

  it('is less by an account that this version cannot read, and no part of a backup', async () => {
    withStore(({ quota }) =>
      quota.record(nothing, {
        ...standing,
        texts: [
          [authName, textOfAccount(remembered)],
          ['bob.json', '{"account":{}}'],
          ['cem.json', '{'],
        ],
      }),
    )
    withStore(({ quota }) => expect(quota.remembered()?.accounts).toHaveLength(1))
    const output = `${path}.json`
    await exportBackup({ statePath: path, output, exportedAt: '', appVersion: '' })
    expect(readFileSync(output, 'utf8')).not.toContain(authName)
  })
})

describe('a file that is changed from outside while it is written', () => {
  const page = 4_096
  const rows = (from: number, length: number) =>
    Array.from({ length }, (_, number) => detail(from + number))
  /** What the next writes come to: `stored`, or the failure. */
  const after = (change: () => void, writes = 1) => {
    const store = openHistory(path)
    try {
      for (let start = 0; start < 5_000; start += 1_000)
        store.usage.record(batch(rows(start, 1_000)))
      store.checkpoint()
      store.usage.record(batch(rows(5_000, 10)))
      change()
      for (let write = 0; write < writes; write += 1)
        store.usage.record(batch(rows(6_000 + write, 1)))
      return 'stored'
    } catch (error) {
      return error instanceof HistoryError ? error.code : error
    } finally {
      store.close()
    }
  }

  it.each<readonly [how: string, change: () => void, outcome: string]>([
    ['not at all', () => undefined, 'stored'],
    ['truncated to a few pages', () => truncateSync(path, 10 * page), 'corrupt'],
    ['truncated to nothing', () => truncateSync(path, 0), 'corrupt'],
    [
      'overwritten by another text',
      () => writeFileSync(path, 'x'.repeat(statSync(path).size + page)),
      'corrupt',
    ],
    ['deleted', () => rmSync(path), 'replaced'],
    ['its log deleted', () => rmSync(`${path}-wal`), 'replaced'],
    ['given a second name', () => linkSync(path, `${path}.link`), 'stored'],
    ['made longer', () => appendFileSync(path, Buffer.alloc(page)), 'stored'],
  ])('%s', (_, change, outcome) => {
    expect(after(change)).toBe(outcome)
  })

  it('in its newest pages, at the same size: within a hundred writes', () => {
    const damage = () => {
      const file = openSync(path, 'r+')
      const bytes = Buffer.alloc(statSync(path).size - page, 0xff)
      writeSync(file, bytes, 0, bytes.byteLength, page)
      closeSync(file)
    }
    expect(after(damage, 100)).toBe('corrupt')
  })

  it('is looked into without losing the lock that keeps the log from being deleted by the next program that reads', (context) => {
    if (!existsSync('/proc/locks'))
      return context.skip('skipped, because only Linux lists its locks')
    const isLocked = () => readFileSync('/proc/locks', 'utf8').includes(`:${statSync(path).ino} `)
    const seen: boolean[] = []
    after(() => void seen.push(isLocked()))
    expect(seen).toEqual([true])
  })

  it('is read to its last page before it is written again, and refused', () => {
    after(() => truncateSync(path, 10 * page))
    expect(() => openHistory(path, { thorough: true })).toThrow(HistoryError)
  })
})

it('a store is held by its file: another name of it, or of its folder, opens no second one', () => {
  const alias = `${path}.alias`
  const folderAlias = join(folder, `alias-${count}`)
  symlinkSync(path, alias)
  symlinkSync(join(folder, String(count)), folderAlias)
  withStore((store) => {
    expect([opening(alias), opening(join(folderAlias, 'history.db'))]).toEqual(['locked', 'locked'])
    const second = `${path}.second`
    linkSync(path, second)
    expect(opening(second)).toBe('several_names')
    store.usage.record(batch([detail(1)]))
    rmSync(second)
  })
  expect([opening(alias), stored(alias)]).toEqual(['opened', 1])
})

it('a torn tail of the WAL file costs nothing that was committed before it', () => {
  const store = openHistory(path)
  for (let number = 0; number < 20; number += 1) store.usage.record(batch([detail(number)]))
  copyFileSync(path, `${path}.torn`)
  copyFileSync(`${path}-wal`, `${path}.torn-wal`)
  appendFileSync(`${path}.torn-wal`, Buffer.alloc(3_000, 0x5a))
  store.close()
  expect(opening(`${path}.torn`)).toBe('opened')
  expect(stored(`${path}.torn`)).toBe(20)
})

/** Rollup rows that differ from what the rows add up to, of the tiers that still hold them. */
function rollupsDiffer(at: string, now: EpochMs): readonly unknown[] {
  const db = openForReading(at)
  try {
    return tiers.flatMap(({ seconds, keptSeconds }) => {
      const since = Number.isFinite(keptSeconds) ? now / 1000 - keptSeconds : 0
      return db
        .prepare(
          `SELECT * FROM (
             SELECT member_id, bucket_s, requests, tokens, failed FROM rollups WHERE grouping = 1 AND tier_seconds = ${seconds} AND bucket_s >= ${since}
             EXCEPT SELECT account_id, at_ms / ${seconds * 1000} * ${seconds} b, count(*), sum(tokens), sum(failed) FROM usage GROUP BY account_id, b)`,
        )
        .all()
    })
  } finally {
    db.close()
  }
}

function versionOf(at: string): unknown {
  const db = openForReading(at)
  try {
    return db.pragma('user_version', { simple: true })
  } finally {
    db.close()
  }
}

function sqliteModule(): string {
  loadSqlite()
  return JSON.stringify(require.resolve('better-sqlite3'))
}

function holdLock(at: string, then: string): string {
  return `const Database = require(${sqliteModule()}); const db = new Database(${JSON.stringify(`${at}.lock`)}, { timeout: 0 }); try { db.exec('BEGIN EXCLUSIVE'); console.log('held') } catch (error) { console.log(error.code) } ${then}`
}

function lockUntilStdinEnds(at: string): string {
  return `const Database = require(${sqliteModule()}); const db = new Database(${JSON.stringify(at)}); db.exec('BEGIN EXCLUSIVE'); console.log('held'); process.stdin.resume().on('end', () => db.exec('ROLLBACK'))`
}

function crashInMigration(at: string, statements: number): string {
  return `const Database = require(${sqliteModule()}); const db = new Database(${JSON.stringify(at)}); db.pragma('journal_mode = WAL'); db.exec('BEGIN IMMEDIATE'); for (let n = 0; n < ${statements}; n += 1) db.exec('ALTER TABLE usage ADD COLUMN extra' + n + ' INTEGER'); process.kill(process.pid, 'SIGKILL')`
}

function foreignDatabase(at: string): void {
  const db = new (loadSqlite())(at)
  db.exec('CREATE TABLE somebody (id INTEGER)')
  db.close()
}

function storeOfVersion(at: string, version: number): void {
  openHistory(at).close()
  const db = openForWriting(at)
  db.pragma(`user_version = ${version}`)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}
