import {
  closeSync,
  fstatSync,
  mkdtempSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InputError, spooledInput } from './backup.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-spool-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const spool = (input: Readable, stop = new AbortController().signal) =>
  spooledInput(input, join(folder, 'history.db'), stop)

describe('spooled input', () => {
  it('can be read twice, and only through the file that is open', async () => {
    const file = await spool(Readable.from([Buffer.from('first '), Buffer.from('second')]))
    const read = () => {
      const bytes = Buffer.alloc(32)
      return bytes.subarray(0, readSync(file, bytes, 0, 32, 0)).toString()
    }

    expect([read(), read()]).toEqual(['first second', 'first second'])
    expect(readdirSync(folder)).toEqual([])
    expect(fstatSync(file).mode & 0o777).toBe(0o600)
    closeSync(file)
  })

  it('that is stopped leaves nothing and says so', async () => {
    const stop = new AbortController()
    const input = new PassThrough()
    input.write('half')
    const spooled = spool(input, stop.signal)
    stop.abort()

    await expect(spooled).rejects.toThrow(InputError)
    await expect(spooled).rejects.toThrow('nothing was imported')
    expect(readdirSync(folder)).toEqual([])
    expect(input.destroyed).toBe(true)
  })

  it('that breaks passes the failure on', async () => {
    const broken = new PassThrough()
    const spooled = spool(broken)
    broken.destroy(new Error('the pipe broke'))

    await expect(spooled).rejects.toThrow('the pipe broke')
  })

  it('does not write over a file that is there', async () => {
    writeFileSync(join(folder, `history.db.${process.pid}.input`), 'of somebody else')

    await expect(spool(Readable.from(['x']))).rejects.toMatchObject({ code: 'EEXIST' })
    expect(readdirSync(folder)).toHaveLength(1)
  })
})
