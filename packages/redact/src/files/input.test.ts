import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { RedactError } from '../redact-error.ts'
import { fileKindOf, piecesOf, refuseBinary } from './input.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-input-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0
const fileWith = (content: string | Buffer) => {
  count += 1
  const path = join(folder, `${count}.log`)
  writeFileSync(path, content)
  return path
}
/** Reads a file to its end; `onRead` is called between two pieces. */
const readAll = async (
  path: string,
  onRead: (bytes: number, stop: () => void) => void = () => {},
) => {
  const stop = new AbortController()
  const pieces: Buffer[] = []
  const reading = {
    path,
    stop: stop.signal,
    onRead: (bytes: number) => onRead(bytes, () => stop.abort()),
  }
  for await (const piece of piecesOf(reading)) pieces.push(piece)
  return pieces
}

describe('a file is read', () => {
  it.each([
    { bytes: 0, pieces: [] },
    { bytes: 1, pieces: [1] },
    { bytes: 64 * 1024, pieces: [64 * 1024] },
    { bytes: 64 * 1024 + 1, pieces: [64 * 1024, 1] },
    { bytes: 150_000, pieces: [65_536, 65_536, 18_928] },
  ])('of $bytes bytes in pieces of $pieces', async ({ bytes, pieces }) => {
    const content = Buffer.alloc(bytes, 'all quiet in the pool at this hour\n')
    const told: number[] = []
    const read = await readAll(fileWith(content), (length) => told.push(length))

    expect(read.map(({ length }) => length)).toEqual(pieces)
    expect(told).toEqual(pieces)
    expect(Buffer.concat(read).equals(content)).toBe(true)
  })

  it('to the size it had, also when it grows meanwhile', async () => {
    const content = 'first\n'.repeat(20_000)
    const path = fileWith(content)
    const read = await readAll(path, () => appendFileSync(path, 'second\n'.repeat(1000)))

    expect(Buffer.concat(read).toString()).toBe(content)
  })

  it('and refused when it became shorter', async () => {
    const path = fileWith('x'.repeat(300_000))

    await expect(readAll(path, () => truncateSync(path, 100))).rejects.toThrow(
      new RedactError('became shorter while it was read'),
    )
  })

  it('no farther than the piece at which the work is stopped', async () => {
    const read: number[] = []
    const work = readAll(fileWith('x'.repeat(600_000)), (length, stop) => {
      read.push(length)
      stop()
    })

    await expect(work).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    expect(read).toEqual([64 * 1024])
  })
})

describe('what is not a regular file is refused', () => {
  it.each([
    {
      what: 'a folder',
      make: (path: string) => mkdirSync(path),
      why: 'is not a regular file',
    },
    {
      what: 'a pipe that nobody writes to',
      make: (path: string) => execFileSync('mkfifo', [path]),
      why: 'is not a regular file',
    },
    {
      what: 'a link',
      make: (path: string) => symlinkSync(fileWith('all quiet'), path),
      why: 'is a link',
    },
    {
      what: 'a link to nothing',
      make: (path: string) => symlinkSync(`${path}-missing`, path),
      why: 'is a link',
    },
  ])('such as $what', async ({ make, why }) => {
    count += 1
    const path = join(folder, `${count}.special`)
    make(path)

    await expect(readAll(path)).rejects.toThrow(new RedactError(why))
  })

  it('such as a device and a file of the system', async () => {
    await expect(readAll('/dev/zero')).rejects.toThrow('is not a regular file')
    await expect(readAll('/proc/self/environ')).rejects.toThrow('has no size')
  })

  it('and a file that is missing keeps its error', async () => {
    await expect(readAll(join(folder, 'missing.log'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

const kindOf = (path: string, head: string | Buffer = '') => fileKindOf(path, Buffer.from(head))

describe('the kind of a file', () => {
  it.each([
    { path: 'a.csv', kind: 'csv' },
    { path: 'a.TSV', kind: 'csv' },
    { path: 'a.json', kind: 'json' },
    { path: 'a.jsonl', kind: 'json' },
    { path: 'a.ndjson', kind: 'json' },
    { path: 'a.har', kind: 'json' },
    { path: 'a.json5', kind: 'json' },
    { path: 'a.log', kind: 'text' },
    { path: 'a.yaml', kind: 'text' },
    { path: 'a.env', kind: 'text' },
    { path: 'a.sql', kind: 'text' },
    { path: 'a.csv.1', kind: 'csv' },
    { path: 'a.tsv~', kind: 'csv' },
    { path: 'a.csv-20260310', kind: 'csv' },
    { path: 'a.json.old', kind: 'json' },
    { path: 'a.log.2', kind: 'text' },
  ] as const)('of $path is $kind, whatever it holds', ({ path, kind }) => {
    for (const head of ['{"a":1}', 'a,b\n1,2\n', 'all quiet', ''])
      expect(kindOf(path, head)).toBe(kind)
  })

  it.each([
    { head: '{"a":1}', kind: 'json' },
    { head: ' \n[ {"a":1}]', kind: 'json' },
    { head: '[1,2]', kind: 'json' },
    { head: '{}', kind: 'json' },
    { head: '\ufeff{"a":1}', kind: 'json' },
    { head: '[section]\nname=x', kind: 'text' },
    { head: '{word}', kind: 'text' },
    { head: 'all quiet', kind: 'text' },
    { head: '"a"', kind: 'text' },
    { head: '', kind: 'text' },
  ])('without a telling name is $kind for $head', ({ head, kind }) => {
    expect(kindOf('backup.bak', head)).toBe(kind)
    expect(kindOf('backup', head)).toBe(kind)
  })

  it('of a database is seen by its head, whatever its name', () => {
    for (const path of ['a.db', 'a.json', 'a'])
      expect(kindOf(path, 'SQLite format 3\u0000 and pages')).toBe('sqlite')
  })
})

describe('a file is refused', () => {
  const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3, 4, 5, 6, 7])

  it.each([
    { what: 'in UTF-16', head: Buffer.from('\ufeffana', 'utf16le') },
    { what: 'in UTF-16 of the other order', head: Buffer.from([0xfe, 0xff, 0, 0x61]) },
    { what: 'with a zero byte', head: Buffer.from('all\u0000quiet') },
    { what: 'with bytes of control', head: image },
    { what: 'that is not UTF-8', head: Buffer.from([0x61, 0xe9, 0x62, 0xe8]) },
    { what: 'with half the head of a database', head: Buffer.from('SQLite format 3').fill(1, 8) },
  ])('$what', ({ head }) => {
    expect(() => fileKindOf('a.log', head)).toThrow(RedactError)
  })

  it.each([
    { controls: 20, isRefused: false },
    { controls: 21, isRefused: true },
  ])('with $controls bytes of control in a thousand: $isRefused', ({ controls, isRefused }) => {
    const look = () =>
      fileKindOf('a.log', Buffer.from('x'.repeat(1_000 - controls) + '\u0001'.repeat(controls)))

    if (isRefused) expect(look).toThrow('neither text')
    else expect(look()).toBe('text')
  })

  it.each([
    { invalid: 50, isRefused: false },
    { invalid: 51, isRefused: true },
  ])(
    'with $invalid bytes in a thousand that are not UTF-8: $isRefused',
    ({ invalid, isRefused }) => {
      const head = Buffer.alloc(1_000, 'x')
      for (let index = 0; index < invalid; index += 1) head[index * 2] = 0xe9
      const look = () => fileKindOf('a.log', head)

      if (isRefused) expect(look).toThrow('neither text')
      else expect(look()).toBe('text')
    },
  )

  it('but not for tabs, line breaks, form feeds and colours of a terminal', () => {
    expect(kindOf('a.log', '\t\r\n\f\u001b[0m'.repeat(20))).toBe('text')
  })

  it('for one zero byte anywhere', () => {
    expect(() => refuseBinary(Buffer.from('quiet\n'.repeat(99)))).not.toThrow()
    expect(() => refuseBinary(Buffer.from(`${'quiet\n'.repeat(99)}\u0000`))).toThrow(RedactError)
  })
})
