import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, inTransaction, openSqlite } from '@svc/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { RedactError } from '../redact-error.ts'
import { redactFolder } from '../testing/redact-folder.ts'
import { type DatabaseReading, openUntrusted, visitDatabase } from './redact-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-database-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0

async function copyOf(fill: (db: Database) => void) {
  count += 1
  const path = join(folder, `${count}.db`)
  const db = openSqlite(path, {})
  fill(db)
  db.close()
  const output = join(folder, `out${count}`)
  const { entries } = await redactFolder({ inputs: [path], output })
  expect(entries).toEqual([{ status: 'redacted', file: `${count}.db`, kind: 'sqlite' }])
  const copy = join(output, `${count}.db`)
  return { bytes: readFileSync(copy), db: openSqlite(copy, { readonly: true }) }
}

it('loses what its schema says: defaults, checks, names and comments', async () => {
  const { bytes, db } = await copyOf((source) => {
    source.exec(
      `CREATE TABLE a (id INTEGER PRIMARY KEY, password TEXT DEFAULT 'canary-one', note TEXT CHECK (note <> 'canary-two'))`,
    )
    source.exec('CREATE TABLE b (x /* canary-three */, "canary-four@mail.example" TEXT)')
    source.exec(
      `CREATE VIEW v AS SELECT 'canary-five' AS x; CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 'canary-six'; END`,
    )
    source.exec(
      `CREATE INDEX i ON a (note) WHERE note <> 'canary-seven'; INSERT INTO a (id) VALUES (1); INSERT INTO b VALUES (1, 2)`,
    )
  })

  expect(bytes.toString('latin1')).not.toContain('canary')
  expect(db.prepare('SELECT count(*) FROM a').pluck().get()).toBe(1)
})

it('loses numbers, blobs and documents under names of secrets, and keeps what is harmless', async () => {
  const { bytes, db } = await copyOf((source) => {
    source.exec(
      'CREATE TABLE a (id INTEGER PRIMARY KEY, pin INTEGER, token BLOB, body TEXT, raw BLOB, n REAL, count INTEGER)',
    )
    source
      .prepare('INSERT INTO a VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(
        1,
        483920,
        Buffer.from('canary-bytes'),
        JSON.stringify({ api_keys: ['canary-in-json'], n: 7, pin: 99887766 }),
        Buffer.from([1, 0, 255]),
        1.5,
        12,
      )
  })

  expect(bytes.toString('latin1')).not.toContain('canary')
  const row = db.prepare('SELECT * FROM a').get() as Record<string, unknown>
  expect(row).toMatchObject({
    id: 1,
    pin: expect.stringMatching(/^secret-/),
    n: 1.5,
    count: 12,
    raw: expect.toSatisfy((bytes: Uint8Array) => bytes.length === 0),
  })
  expect(JSON.parse(String(row.body))).toMatchObject({
    n: 7,
    pin: expect.stringMatching(/^secret-/),
  })
})

it('loses a secret in a text that is not valid UTF-8, and in one with a zero byte', async () => {
  const { bytes } = await copyOf((source) => {
    source.exec(
      "CREATE TABLE a (x TEXT); INSERT INTO a VALUES (CAST(x'ff206d61696c2063616e617279406d61696c2e6578616d706c65ff' AS TEXT))",
    )
    source.exec(
      "INSERT INTO a VALUES (CAST(x'6d2063616e617279406d61696c2e6578616d706c650078' AS TEXT))",
    )
  })

  expect(bytes.toString('latin1')).not.toContain('canary')
})

it('loses pages that were freed, and rows that were overwritten', async () => {
  const { bytes } = await copyOf((source) => {
    source.pragma('secure_delete = OFF')
    source.exec('CREATE TABLE a (x TEXT); CREATE TABLE gone (x TEXT)')
    for (let index = 0; index < 300; index += 1)
      source.prepare('INSERT INTO gone VALUES (?)').run(`free canary ${index} words`)
    source.exec("INSERT INTO a VALUES ('kept'); DELETE FROM gone; DROP TABLE gone")
  })

  expect(bytes.toString('latin1')).not.toContain('canary')
})

it('keeps the schema of a table that holds nothing, and lets go of constraints that pseudonyms break', async () => {
  const { db } = await copyOf((source) => {
    source.exec(
      'CREATE TABLE kept (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT; CREATE INDEX by_n ON kept (n); INSERT INTO kept VALUES (1, 2)',
    )
    source.exec('CREATE TABLE pins (pin INTEGER NOT NULL) STRICT; INSERT INTO pins VALUES (483920)')
    source.exec(
      "CREATE TABLE messages (mail TEXT UNIQUE); INSERT INTO messages VALUES ('a@mail.example'), ('A@mail.example')",
    )
  })
  const schema = db.prepare('SELECT sql FROM sqlite_schema ORDER BY name').pluck().all() as string[]

  expect(schema.join('\n')).toContain(
    'CREATE TABLE kept (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT',
  )
  expect(schema.join('\n')).toContain('CREATE INDEX by_n')
  expect(db.prepare('SELECT count(*) FROM messages').pluck().get()).toBe(2)
  expect(db.prepare('SELECT pin FROM pins').pluck().get()).toMatch(/^secret-/)
})

it('takes time that grows with its rows', async () => {
  const timeOf = async (rows: number) => {
    const before = process.cpuUsage().user
    await copyOf((source) => {
      source.exec('CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT); BEGIN')
      const add = source.prepare('INSERT INTO people VALUES (?, ?)')
      for (let id = 0; id < rows; id += 1)
        add.run(id, `user${String(id).padStart(6, '0')}@mail.example`)
      source.exec('COMMIT')
    })
    return (process.cpuUsage().user - before) / 1000
  }
  await timeOf(200)
  const quarter = await timeOf(2_000)

  expect(await timeOf(8_000)).toBeLessThan(6 * quarter)
}, 120_000)

describe('a database is read', () => {
  const newPath = () => {
    count += 1
    return join(folder, `${count}.db`)
  }
  const visited = (path: string, changes: Partial<DatabaseReading> = {}) => {
    const seen: string[] = []
    visitDatabase(
      { path, stop: new AbortController().signal, onRead: () => undefined, ...changes },
      (table, column, value) => seen.push(`${table}.${column}=${value}`),
    )
    return seen
  }

  it('cell by cell, with whole numbers as they are, and without columns that are computed', () => {
    const path = newPath()
    const db = openSqlite(path, {})
    db.exec('CREATE TABLE "a ""b" (x, n INTEGER, twice AS (n * 2)); CREATE TABLE empty (y)')
    db.exec(`INSERT INTO "a ""b" (x, n) VALUES ('kelp', 9007199254740993), (NULL, 7)`)
    db.close()

    expect(visited(path)).toEqual([
      'a "b.x=kelp',
      'a "b.n=9007199254740993',
      'a "b.x=null',
      'a "b.n=7',
    ])
  })

  it('with its write-ahead log in a copy, of which nothing is left', () => {
    const path = newPath()
    const db = openSqlite(path, {})
    db.pragma('journal_mode = WAL')
    db.exec("CREATE TABLE t (x); INSERT INTO t VALUES ('kelp')")
    const temporaryFolder = mkdtempSync(join(folder, 'copies-'))
    // Opened by somebody, and then copied without the file of shared memory.
    const other = newPath()
    for (const ending of ['', '-wal']) copyFileSync(`${path}${ending}`, `${other}${ending}`)
    db.close()

    expect(visited(other, { temporaryFolder })).toEqual(['t.x=kelp'])
    expect(readdirSync(temporaryFolder)).toEqual([])
    expect(existsSync(`${other}-shm`)).toBe(false)
  })

  it('until it is stopped', () => {
    const path = newPath()
    const db = openSqlite(path, {})
    db.exec('CREATE TABLE t (x)')
    const add = db.prepare('INSERT INTO t VALUES (?)')
    inTransaction(db, () => {
      for (let row = 0; row < 1_200; row += 1) add.run(row)
    })
    db.close()
    const stop = new AbortController()
    let looks = 0
    const onRead = () => {
      looks += 1
      stop.abort()
    }

    expect(() => visited(path, { stop: stop.signal, onRead })).toThrow(
      expect.objectContaining({ name: 'AbortError' }),
    )
    expect(looks).toBe(1)
  })

  it('and a damaged one is refused with a code, and not with a text of it', () => {
    const path = newPath()
    const db = openSqlite(path, {})
    db.exec("CREATE TABLE t (x); INSERT INTO t VALUES ('kelp')")
    db.close()
    const bytes = readFileSync(path)
    bytes.fill(0x5a, 100)
    writeFileSync(path, bytes)

    expect(() => visited(path)).toThrow(
      new RedactError('is a database that cannot be read (SQLITE_CORRUPT)'),
    )
    expect(() => visited(newPath())).toThrow(
      new RedactError('is a database that cannot be read (SQLITE_CANTOPEN)'),
    )
  })

  it('without running the functions that its schema calls', () => {
    const db = openUntrusted(newPath(), {})
    db.function('kelp', () => 'called')
    db.exec('CREATE VIEW v AS SELECT kelp() AS x')

    expect(() => db.prepare('SELECT x FROM v').get()).toThrow('unsafe use of kelp()')
    db.close()
  })
})

it('a copy has the version and the application of its original', async () => {
  const { db } = await copyOf((source) => {
    source.exec('CREATE TABLE t (x)')
    source.pragma('user_version = 17')
    source.pragma('application_id = 1234567')
  })

  expect(db.pragma('user_version', { simple: true })).toBe(17)
  expect(db.pragma('application_id', { simple: true })).toBe(1_234_567)
})

it('two columns whose names become one pseudonym are two columns in the copy', async () => {
  const { db } = await copyOf((source) => {
    source.exec('CREATE TABLE a ("x ana@mail.example" TEXT, "x Ana@mail.example " TEXT)')
    source.exec("INSERT INTO a VALUES ('one', 'two')")
  })

  expect(db.prepare('SELECT * FROM a').raw().get()).toEqual(['one', 'two'])
})
