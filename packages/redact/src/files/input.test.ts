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
import { type Input, openInput } from './input.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-input-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0
const fileWith = (content: string | Buffer) => {
  count += 1
  const path = join(folder, `${count}.log`)
  writeFileSync(path, content)
  return path
}
const readAll = async (input: Input, stop = new AbortController().signal) => {
  const pieces: Buffer[] = []
  for await (const piece of input.pieces(stop)) pieces.push(piece)
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
    const input = await openInput(fileWith(content))
    const read = await readAll(input)
    await input.close()

    expect(input.size).toBe(bytes)
    expect(read.map(({ length }) => length)).toEqual(pieces)
    expect(Buffer.concat(read).equals(content)).toBe(true)
  })

  it('as often as it is asked for, from its beginning', async () => {
    const input = await openInput(fileWith('all quiet'))
    const [first] = await readAll(input)
    const [second] = await readAll(input)
    await input.close()

    expect(String(first)).toBe('all quiet')
    expect(String(second)).toBe('all quiet')
  })

  it('to the size it had, also when it grows meanwhile', async () => {
    const path = fileWith('first\n')
    const input = await openInput(path)
    appendFileSync(path, 'second\n'.repeat(1000))
    const read = await readAll(input)
    await input.close()

    expect(Buffer.concat(read).toString()).toBe('first\n')
  })

  it('and refused when it became shorter', async () => {
    const path = fileWith('x'.repeat(300_000))
    const input = await openInput(path)
    truncateSync(path, 100)

    await expect(readAll(input)).rejects.toThrow(
      new RedactError('became shorter while it was read'),
    )
    await input.close()
  })

  it('no farther than the piece at which the work is stopped', async () => {
    const input = await openInput(fileWith('x'.repeat(600_000)))
    const stop = new AbortController()
    let read = 0
    const work = (async () => {
      for await (const piece of input.pieces(stop.signal)) {
        read += piece.length
        stop.abort()
      }
    })()

    await expect(work).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    expect(read).toBe(64 * 1024)
    await input.close()
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

    await expect(openInput(path)).rejects.toThrow(new RedactError(why))
  })

  it('such as a device and a file of the system', async () => {
    await expect(openInput('/dev/zero')).rejects.toThrow('is not a regular file')
    await expect(openInput('/proc/self/environ')).rejects.toThrow('has no size')
  })

  it('and a file that is missing keeps its error', async () => {
    await expect(openInput(join(folder, 'missing.log'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
