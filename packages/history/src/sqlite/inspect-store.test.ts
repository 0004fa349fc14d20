import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS, epochMs, plusMs } from '@svc/core'
import { openSqlite } from '@svc/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { inspectStore } from './inspect-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-inspect-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function aStore(name: string): Promise<string> {
  const path = join(folder, name)
  await (await openHistory(path)).close()
  return path
}

describe('inspectStore', () => {
  it('takes a store as the service would, and leaves its bytes alone', async () => {
    const path = await aStore('good.db')
    const before = statSync(path).mtimeMs

    expect(inspectStore(path)).toMatchObject({ file: 'store', isIntact: true, isLocked: false })
    expect(statSync(path).mtimeMs).toBe(before)
  })

  it('says what a store takes and how much is kept of how many days, as the open store does', async () => {
    const path = join(folder, 'used.db')
    const store = await openHistory(path)
    const oldest = epochMs(Date.UTC(2026, 10, 10, 12))
    const details = Array.from({ length: 60 }, (_, index) => ({
      at: plusMs(oldest, Math.floor(index / 6) * DAY_MS),
      key: BigInt(index),
      accountKey: 'ana',
      apiName: 'key',
      model: 'model',
      tokens: 1,
      failed: false,
    }))
    await store.usageOf('default').record({
      receivedAt: plusMs(oldest, 30 * DAY_MS),
      details,
      quarantined: [],
      saturatedCount: 0,
    })
    const { engine } = await store.facts()
    await store.close()
    const { use } = inspectStore(path)
    const known = { requestCount: 60, requestsPerDay: 6, oldestRowAt: oldest }

    expect(use).toMatchObject(known)
    expect(engine).toMatchObject({ use: known })
    expect(use?.usedBytes).toBeGreaterThan(0)
    expect(use?.usedBytes).toBeLessThanOrEqual(statSync(path).size)
    expect(use?.roomBytes).toBeLessThan(use?.freeBytes ?? 0)
    expect(inspectStore(await aStore('unused.db')).use).toMatchObject({
      requestCount: 0,
      requestsPerDay: null,
      oldestRowAt: null,
    })
  })

  it('sees that another process holds it', async () => {
    const path = join(folder, 'held.db')
    const held = await openHistory(path)

    expect(inspectStore(path)).toMatchObject({ file: 'store', isLocked: true })
    await held.close()
    expect(inspectStore(path).isLocked).toBe(false)
  })

  it('refuses a schema that is newer than this program', async () => {
    const path = await aStore('newer.db')
    const db = openSqlite(path)
    db.pragma('user_version = 999')
    db.close()

    expect(() => inspectStore(path)).toThrow(expect.objectContaining({ code: 'newer_version' }))
  })

  it('refuses a store that another program keeps locked', async () => {
    const path = await aStore('busy.db')
    const db = openSqlite(path)
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
