import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockStore } from '../sqlite/store-lock.ts'
import { openBackupFile, placeNew } from './backup-output.ts'

const START = '{"format":"svc-quota-monitor-history","formatVersion":1,'
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-output-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)
const write = async (name: string, text = 'backup') => {
  const output = openBackupFile(at(name))
  try {
    await output.write(text)
    output.finish()
  } finally {
    output.close()
  }
}

describe('on a file system without hard links', () => {
  const noLinks = () => {
    throw Object.assign(new Error('no links'), { code: 'EPERM' })
  }

  it('a finished file gets its name all the same', () => {
    writeFileSync(at('a.unfinished'), 'backup')
    placeNew(at('a.unfinished'), at('a'), noLinks)
    expect([readdirSync(folder), readFileSync(at('a'), 'utf8')]).toEqual([['a'], 'backup'])
  })

  it('no file that is there is ever replaced', () => {
    writeFileSync(at('a.unfinished'), 'backup')
    writeFileSync(at('a'), 'mine')
    expect(() => placeNew(at('a.unfinished'), at('a'), noLinks)).toThrow(/has come up meanwhile/)
    expect(readFileSync(at('a'), 'utf8')).toBe('mine')
  })
})

describe('what a killed export has left', () => {
  it.each([
    ['of the same name', 'a', START],
    ['of the same name, before it wrote anything', 'a', ''],
    ['of another name', 'b', START],
    ['of another name, before it wrote anything', 'b', ''],
  ])('%s is taken away by the next one', async (_, name, content) => {
    writeFileSync(at(`${name}.unfinished`), content)
    writeFileSync(at(`${name}.unfinished.lock`), '')
    await write('a')
    expect([readdirSync(folder), readFileSync(at('a'), 'utf8')]).toEqual([['a'], 'backup'])
  })

  it('is left alone while it may still be written', async () => {
    writeFileSync(at('b.unfinished'), START)
    const lock = lockStore(at('b.unfinished'))
    await write('a')
    expect(existsSync(at('b.unfinished'))).toBe(true)
    expect(() => openBackupFile(at('b'))).toThrow(/under way/)
    lock.release()
  })

  it('is nothing else: files of others stay, and are not written over', async () => {
    writeFileSync(at('b.unfinished'), 'a download')
    writeFileSync(at('c.unfinished'), '')
    mkdirSync(at('d.unfinished'))
    await write('a')
    expect(readdirSync(folder)).toEqual(['a', 'b.unfinished', 'c.unfinished', 'd.unfinished'])
    expect(() => openBackupFile(at('b'))).toThrow(/is not an unfinished export/)
    expect(readFileSync(at('b.unfinished'), 'utf8')).toBe('a download')
  })
})

it('a second export to one file is told so, and leaves the first alone', async () => {
  const first = openBackupFile(at('a'))
  expect(() => openBackupFile(at('a'))).toThrow(/under way/)
  await first.write('backup')
  first.finish()
  first.close()
  expect([readdirSync(folder), readFileSync(at('a'), 'utf8')]).toEqual([['a'], 'backup'])
})
