import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder } from './places.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-make-folder-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a folder is made', () => {
  it('with every folder above it that is missing, each for its owner alone', () => {
    const umask = process.umask(0)
    try {
      makeFolder(join(folder, 'a/b/c'))
    } finally {
      process.umask(umask)
    }

    for (const path of ['a', 'a/b', 'a/b/c'])
      expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700)
  })

  it('once, and then left as it is', () => {
    const path = join(folder, 'once')
    makeFolder(path)
    writeFileSync(join(path, 'kept.log'), 'quiet\n')
    makeFolder(path)

    expect(statSync(join(path, 'kept.log')).size).toBe(6)
  })

  it('not in the place of a file, nor below one', () => {
    const path = join(folder, 'a-file')
    writeFileSync(path, 'quiet\n')

    expect(() => makeFolder(path)).toThrow(expect.objectContaining({ code: 'EEXIST' }))
    expect(() => makeFolder(join(path, 'below'))).toThrow()
  })

  it('not where a file system takes none: that ends with an error', () => {
    expect(() => makeFolder('/proc/svc/copies')).toThrow()
  })
})
