import { mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../testing/fresh-database.ts'
import { isWhole, isWholeFile } from './file-header.ts'
import { openForReading } from './open-database.ts'

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
