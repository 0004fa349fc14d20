import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isStoreLocked, lockStore } from './store-lock.ts'

describe('the lock of a store', () => {
  let folder: string
  let path: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-lock-'))
    path = join(folder, 'history.db')
    writeFileSync(path, '')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is held once, seen by others, and free again when it is released', () => {
    const lock = lockStore(path)
    expect(isStoreLocked(path)).toBe(true)
    expect(() => lockStore(path)).toThrow(expect.objectContaining({ code: 'locked' }))

    lock.release()
    expect(isStoreLocked(path)).toBe(false)
    lockStore(path).release()
  })

  it('is that of the file, by whatever name it was asked for', () => {
    const alias = join(folder, 'alias.db')
    symlinkSync(path, alias)
    const lock = lockStore(alias)

    expect(lock.path).toBe(path)
    expect(() => lockStore(path)).toThrow(expect.objectContaining({ code: 'locked' }))
    lock.release()
  })

  it('can be had for a file that is not there yet', () => {
    rmSync(path)
    const lock = lockStore(path)

    expect(lock.path).toBe(path)
    lock.release()
  })

  it.each([
    {
      name: 'a file with two names',
      change: () => linkSync(path, join(folder, 'second.db')),
      code: 'several_names',
    },
    {
      name: 'a file whose lock is a folder',
      change: () => mkdirSync(`${path}.lock`),
      code: 'cannot_open',
    },
  ])('is refused for $name', ({ change, code }) => {
    change()

    expect(() => lockStore(path)).toThrow(expect.objectContaining({ code }))
  })

  it('is held by nobody where there is no store, or none was ever opened', () => {
    const dangling = join(folder, 'dangling.db')
    symlinkSync(join(folder, 'nowhere.db'), dangling)

    expect([path, dangling, join(folder, 'missing.db')].map(isStoreLocked)).toEqual([
      false,
      false,
      false,
    ])
  })
})
