import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { inspectStore } from './inspect-store.ts'
import { openHistory } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-inspect-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function aStore(name: string): string {
  const path = join(folder, name)
  openHistory(path).close()
  return path
}

describe('inspectStore', () => {
  it('takes a store as the service would, and leaves its bytes alone', () => {
    const path = aStore('good.db')
    const before = statSync(path).mtimeMs

    expect(inspectStore(path)).toMatchObject({ file: 'store', isIntact: true, isLocked: false })
    expect(statSync(path).mtimeMs).toBe(before)
  })

  it('sees that another process holds it', () => {
    const path = join(folder, 'held.db')
    const held = openHistory(path)

    expect(inspectStore(path)).toMatchObject({ file: 'store', isLocked: true })
    held.close()
    expect(inspectStore(path).isLocked).toBe(false)
  })

  it('refuses a schema that is newer than this program', () => {
    const path = aStore('newer.db')
    const db = new Sqlite(path)
    db.pragma('user_version = 999')
    db.close()

    expect(() => inspectStore(path)).toThrow(expect.objectContaining({ code: 'newer_version' }))
  })

  it('refuses a store that another program keeps locked', () => {
    const path = aStore('busy.db')
    const db = new Sqlite(path)
    db.exec('BEGIN EXCLUSIVE')

    expect(() => inspectStore(path)).toThrow(expect.objectContaining({ code: 'busy' }))
    db.close()
  })

  it('tells a link into nothing from a file that is yet to be made', () => {
    mkdirSync(join(folder, 'disk'))
    symlinkSync('disk/new.db', join(folder, 'dangling.db'))
    symlinkSync('unmounted/new.db', join(folder, 'lost.db'))
    const fileOf = (name: string) => inspectStore(join(folder, name)).file

    expect([fileOf('new.db'), fileOf('dangling.db'), fileOf('lost.db')]).toEqual([
      'missing',
      'dangling',
      'lost',
    ])
  })
})
