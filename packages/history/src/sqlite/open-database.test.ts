import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { textOfAccount } from '@svc/core/pool'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exportBackup } from '../backup/export-backup.ts'
import { openHistory, openUsage } from '../open-history.ts'
import { freshDatabase } from '../testing/fresh-database.ts'
import { databaseClass, ownStores } from '../testing/own-stores.ts'
import { aBatch, someDetails } from '../testing/stored-usage.ts'
import { isWhole, isWholeFile, openForReading, openForWriting } from './open-database.ts'
import { openFile } from './sqlite.ts'

/** One store of each released schema, what an export of it says, and a pool as it was stored while there was one provider. */
const FIXTURES = join(import.meta.dirname, '../../fixtures')
const earlierStores = readdirSync(FIXTURES).filter((name) => name.endsWith('.db'))
const stores = ownStores()
const { withStore, stored, opening } = stores
let path: string
beforeEach(() => {
  path = stores.nextPath()
})
afterAll(stores.remove)

describe('the file of a store', () => {
  it('is written in full before a commit counts', async () => {
    await (await openHistory(path)).close()
    const db = openForWriting(path)
    expect([
      db.pragma('synchronous', { simple: true }),
      db.pragma('journal_mode', { simple: true }),
    ]).toEqual([2, 'wal'])
    db.close()
  })

  it('is not taken for one when it is something else, and left as it is', async () => {
    const cases: readonly (readonly [why: string, make: () => unknown, code: string])[] = [
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
      [
        'a dangling link',
        () => symlinkSync(join(dirname(path), 'nowhere', 'x'), path),
        'cannot_open',
      ],
    ]
    for (const [why, make, code] of cases) {
      rmSync(path, { recursive: true, force: true })
      await make()
      const before = existsSync(path) && statSync(path).isFile() ? readFileSync(path) : null
      expect(await opening(), why).toBe(code)
      if (before !== null) expect(readFileSync(path), why).toEqual(before)
    }
  })

  it('needs its folder', async () => {
    expect(await opening(join(dirname(path), 'nowhere', 'history.db'))).toBe('cannot_open')
  })

  it('begins in an empty file', async () => {
    writeFileSync(path, '')
    expect(await opening()).toBe('opened')
    expect(stored()).toBe(0)
  })
})

describe('the schema', () => {
  it('is brought up to date step by step, after a copy was made', async () => {
    await withStore(({ usage }) => usage.record(aBatch(someDetails(3))))
    const steps = [
      'ALTER TABLE usage ADD COLUMN cost INTEGER',
      'CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT',
    ]
    const updates: (readonly number[])[] = []
    const onUpdate = (...versions: readonly number[]) => void updates.push(versions)
    openForWriting(path, { laterMigrations: steps, onUpdate }).close()
    openForWriting(path, { laterMigrations: steps, onUpdate }).close()
    expect(updates).toEqual([[7, 9]])
    expect([versionOf(`${path}.before-8`), versionOf(path)]).toEqual([7, 9])
    expect(stored()).toBe(3)
    expect(stored(`${path}.before-8`)).toBe(3)
    expect(statSync(`${path}.before-8`).mode & 0o777).toBe(0o600)
    expect(await opening()).toBe('newer_version')
    expect(await opening(`${path}.before-8`)).toBe('opened')
  })

  it('is as before when a step fails', async () => {
    await withStore(({ usage }) => usage.record(aBatch(someDetails(3))))
    const steps = ['ALTER TABLE usage ADD COLUMN cost INTEGER; SELECT nonsense FROM nowhere']
    expect(() => openForWriting(path, { laterMigrations: steps })).toThrow()
    expect(await opening()).toBe('opened')
    openForWriting(path, { laterMigrations: ['ALTER TABLE usage ADD COLUMN cost INTEGER'] }).close()
    expect(stored()).toBe(3)
  })

  it('of a new store is there whole or not at all', () => {
    expect(() =>
      openForWriting(path, { laterMigrations: ['SELECT nonsense FROM nowhere'] }),
    ).toThrow()
    expect(versionOf(path)).toBe(0)
    openForWriting(path).close()
    expect(versionOf(path)).toBe(7)
  })

  it('survives a crash inside any step', async () => {
    for (const at of [0, 1, 2, 3]) {
      const own = `${path}.${at}`
      await withStore(({ usage }) => usage.record(aBatch(someDetails(2_000))), own)
      const child = spawn(process.execPath, ['-e', crashInMigration(own, at)], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await once(child, 'exit')
      expect(await opening(own), `after ${at} statements`).toBe('opened')
      expect(stored(own)).toBe(2_000)
    }
  })

  it.each(earlierStores)('of %s is still read, and says the same', async (name) => {
    copyFileSync(join(FIXTURES, name), path)
    await expect(openUsage({ location: path, retentionDays: 90 })).rejects.toMatchObject({
      code: 'cannot_open',
    })
    await (await openHistory(path)).close()
    const output = `${path}.json`
    await exportBackup({ statePath: path, output, exportedAt: 'then', appVersion: 'fixture' })
    expect(readFileSync(output, 'utf8')).toBe(
      readFileSync(join(FIXTURES, name.replace('.db', '.json')), 'utf8'),
    )
  })

  it.each(earlierStores)('of %s still has its pool, each account with its key', async (name) => {
    copyFileSync(join(FIXTURES, name), path)
    const kept = JSON.parse(readFileSync(join(FIXTURES, 'remembered-pool.json'), 'utf8')) as Record<
      string,
      string
    >
    const db = openFile(path)
    const insert = db.prepare('INSERT INTO meta (name, value) VALUES (?, ?)')
    for (const [key, text] of Object.entries(kept)) insert.run(key, text)
    db.close()
    const pool = await withStore(({ quota }) => quota.remembered())

    expect(pool?.accounts.map(({ account }) => account.provider)).toEqual(Array(5).fill('codex'))
    // Stored again, each is what it was to the letter: its key, what was read of it, and why it was refused.
    const again = pool?.accounts.map((known) => [
      `account ${known.account.selector.authName}`,
      JSON.parse(textOfAccount(known)),
    ])
    const { pool: _standing, ...accounts } = kept
    expect(Object.fromEntries(again ?? [])).toEqual(
      Object.fromEntries(Object.entries(accounts).map(([key, text]) => [key, JSON.parse(text)])),
    )
  })
})

function versionOf(at: string): unknown {
  const db = openForReading(at)
  try {
    return db.pragma('user_version', { simple: true })
  } finally {
    db.close()
  }
}

function crashInMigration(at: string, statements: number): string {
  return `const Database = ${databaseClass()}; const db = new Database(${JSON.stringify(at)}); db.exec('PRAGMA journal_mode = WAL'); db.exec('BEGIN IMMEDIATE'); for (let n = 0; n < ${statements}; n += 1) db.exec('ALTER TABLE usage ADD COLUMN extra' + n + ' INTEGER'); process.kill(process.pid, 'SIGKILL')`
}

function foreignDatabase(at: string): void {
  const db = openFile(at)
  db.exec('CREATE TABLE somebody (id INTEGER)')
  db.close()
}

async function storeOfVersion(at: string, version: number): Promise<void> {
  await (await openHistory(at)).close()
  const db = openForWriting(at)
  db.pragma(`user_version = ${version}`)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

describe('a database file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-header-'))
  const path = join(folder, 'copy.db')
  let bytes: Buffer

  beforeAll(() => {
    const fresh = freshDatabase()
    fresh.db.pragma('wal_checkpoint(TRUNCATE)')
    bytes = readFileSync(fresh.path)
    fresh.remove()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const changed = (change: (header: Buffer) => void) => {
    const copy = Buffer.from(bytes)
    change(copy)
    return copy
  }

  it.each([
    { name: 'as it was written', of: () => bytes, whole: true },
    {
      name: 'with something behind its pages',
      of: () => Buffer.concat([bytes, bytes.subarray(0, 10)]),
      whole: true,
    },
    { name: 'without its last byte', of: () => bytes.subarray(0, -1), whole: false },
    { name: 'cut inside its header', of: () => bytes.subarray(0, 99), whole: false },
    { name: 'without content', of: () => Buffer.alloc(0), whole: false },
    { name: 'of another kind', of: () => changed((copy) => copy.fill(0, 0, 16)), whole: false },
    {
      name: 'that says it has one page more',
      of: () => changed((copy) => copy.writeUInt32BE(copy.readUInt32BE(28) + 1, 28)),
      whole: false,
    },
    {
      name: 'with pages of 64 KiB, of which it lacks a part',
      of: () =>
        changed((copy) => {
          copy.writeUInt16BE(1, 16)
          copy.writeUInt32BE(Math.floor(copy.byteLength / 65_536) + 1, 28)
        }),
      whole: false,
    },
  ])('$name is whole: $whole', ({ of, whole }) => {
    writeFileSync(path, of())

    expect(isWhole(path)).toBe(whole)
  })
})

it('a database is whole with its log where a page was written again since somebody began to read', () => {
  const { db, path, remove } = freshDatabase()
  db.exec('CREATE TABLE pages (content BLOB); INSERT INTO pages VALUES (zeroblob(3000))')
  db.pragma('wal_checkpoint(TRUNCATE)')
  // Not closed again: that would end the locks of this process.
  const whole = () => {
    const file = openSync(path, 'r')
    return [isWholeFile(file), isWholeFile(file, `${path}-wal`)]
  }
  expect(whole()).toEqual([true, true])

  db.exec('INSERT INTO pages VALUES (zeroblob(3000)), (zeroblob(3000))')
  const reader = openForReading(path)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM pages').get()
  db.exec('UPDATE pages SET content = zeroblob(2999)')
  db.pragma('wal_checkpoint(PASSIVE)')
  expect(whole()).toEqual([false, true])

  truncateSync(path, 4_096)
  expect(whole()).toEqual([false, false])
  reader.close()
  remove()
})
