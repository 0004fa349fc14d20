import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { createCollectedValues } from '../collect/collected-values.ts'
import { collectStore } from '../collect/configured.ts'
import { redactFiles } from '../run/redact-run.ts'
import { type Database, openSqlite } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-database-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0

async function copyOf(fill: (db: Database) => void, configured: readonly string[] = []) {
  count += 1
  const path = join(folder, `${count}.db`)
  const db = openSqlite(path, {})
  fill(db)
  db.close()
  const collected = createCollectedValues()
  for (const value of configured) collected.addConfigured(bytesOf(value), 'secret')
  const output = join(folder, `out${count}`)
  const { entries } = await redactFiles({
    inputs: [path],
    output,
    collected,
    keepMap: false,
    stop: new AbortController().signal,
  })
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
    pin: expect.stringMatching(/^<secret:/),
    n: 1.5,
    count: 12,
    raw: Buffer.alloc(0),
  })
  expect(JSON.parse(String(row.body))).toMatchObject({
    n: 7,
    pin: expect.stringMatching(/^<secret:/),
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
      "CREATE TABLE mails (mail TEXT UNIQUE); INSERT INTO mails VALUES ('a@mail.example'), ('A@mail.example')",
    )
  })
  const schema = db.prepare('SELECT sql FROM sqlite_schema ORDER BY name').pluck().all() as string[]

  expect(schema.join('\n')).toContain(
    'CREATE TABLE kept (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT',
  )
  expect(schema.join('\n')).toContain('CREATE INDEX by_n')
  expect(db.prepare('SELECT count(*) FROM mails').pluck().get()).toBe(2)
  expect(db.prepare('SELECT pin FROM pins').pluck().get()).toMatch(/^<secret:/)
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
  const quarter = await timeOf(4_000)

  expect(await timeOf(16_000)).toBeLessThan(6 * quarter)
}, 120_000)

it('of a store: client keys and titles of accounts are known everywhere', () => {
  const path = join(folder, 'store.db')
  const db = openSqlite(path, {})
  db.exec(
    `CREATE TABLE accounts (id, instance, key, title); CREATE TABLE api_names (id, name); CREATE TABLE meta (name, value)`,
  )
  db.exec(
    `INSERT INTO accounts VALUES (1, 'p', '4d7444d22bc687d2', 'Ana of Lyon'); INSERT INTO api_names VALUES (1, 'team blue')`,
  )
  db.exec(
    `INSERT INTO meta VALUES ('fingerprint_key', '67a36fb0639daac543c05ee7'), ('cut_ms', '12'), ('account a.json', '{"label":"Bo of Oslo"}')`,
  )
  db.close()
  const collected = createCollectedValues()
  collectStore({ path }, collected, new AbortController().signal)

  expect(collected.values().map(({ value }) => value)).toEqual([
    'Ana of Lyon',
    'team blue',
    '67a36fb0639daac543c05ee7',
    '{"label":"Bo of Oslo"}',
  ])
})
