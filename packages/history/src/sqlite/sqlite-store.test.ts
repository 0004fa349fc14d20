import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { textOfAccount } from '@svc/core/pool'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { anAccount, aQuotaSample, evidenceOf } from '@svc/core/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { exportBackup } from '../backup/export-backup.ts'
import { HistoryError } from '../contract/history-error.ts'
import { openHistory, openUsage } from '../open-history.ts'
import { databaseClass, ownStores } from '../testing/own-stores.ts'
import { aBatch, aDetail, NOW, someDetails } from '../testing/stored-usage.ts'
import { openForReading } from './open-database.ts'

const stores = ownStores()
const { withStore, stored, opening } = stores
let path: string
beforeEach(() => {
  path = stores.nextPath()
})
afterAll(stores.remove)

describe('a store', () => {
  it('is readable by its owner alone, side files included', async () => {
    const store = await openHistory(path)
    await store.usageOf(DEFAULT_UPSTREAM).record(aBatch([aDetail(1)]))
    for (const suffix of ['', '-wal', '-shm', '.lock'])
      expect(statSync(path + suffix).mode & 0o777, suffix).toBe(0o600)
    await store.close()
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  it('has one writer; the next may come when it has gone, however it went', async () => {
    const store = await openHistory(path)
    const other = spawnSync(process.execPath, ['-e', holdLock(path, '')], { encoding: 'utf8' })
    expect(other.stdout).toContain('database is locked')
    await store.close()

    const holder = spawn(process.execPath, ['-e', holdLock(path, 'setInterval(() => {}, 1000)')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(holder.stdout, 'data')
    expect(await opening()).toBe('locked')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect(await opening()).toBe('opened')
  })

  it('that was cut off is found damaged when it is used, and not touched', async () => {
    await withStore(({ usage }) => usage.record(aBatch(someDetails(20_000))))
    truncateSync(path, 10 * 4096)
    const before = readFileSync(path)
    const result = await (async () => {
      try {
        return await withStore(({ usage }) => usage.record(aBatch(someDetails(20_000))))
      } catch (error) {
        return error instanceof HistoryError ? error.code : error
      }
    })()
    expect(result).toBe('corrupt')
    expect(
      readFileSync(path)
        .subarray(0, 4096 * 10)
        .equals(before),
    ).toBe(true)
  })

  it('without its WAL file is an earlier, sound state; with that of another store it is never a mixture', async () => {
    const other = `${path}.other`
    for (const at of [path, other]) {
      await withStore(({ usage }) => usage.record(aBatch(someDetails(10))), at)
      const store = await openHistory(at)
      await store
        .usageOf(DEFAULT_UPSTREAM)
        .record(
          aBatch(
            Array.from({ length: 10 }, (_, number) =>
              aDetail(number + 100 + (at === path ? 0 : 1000)),
            ),
          ),
        )
      copyFileSync(at, `${at}.copy`)
      copyFileSync(`${at}-wal`, `${at}.copy-wal`)
      await store.close()
    }
    copyFileSync(`${path}.copy`, `${path}.alone`)
    expect(stored(`${path}.alone`)).toBe(10)
    copyFileSync(`${path}.copy`, `${path}.mixed`)
    copyFileSync(`${other}.copy-wal`, `${path}.mixed-wal`)
    const code = await opening(`${path}.mixed`)
    if (code === 'opened') {
      const db = openForReading(`${path}.mixed`)
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      db.close()
    } else expect(code).toMatch(/corrupt|not_a_database/)
  })

  it('that is deleted or replaced while in use is written no more', async () => {
    const store = await openHistory(path)
    renameSync(path, `${path}.gone`)
    await expect(
      store.usageOf(DEFAULT_UPSTREAM).record(aBatch([aDetail(1)])),
    ).rejects.toMatchObject({
      code: 'replaced',
    })
    await (await openHistory(`${path}.new`)).close()
    renameSync(`${path}.new`, path)
    await expect(
      store.usageOf(DEFAULT_UPSTREAM).record(aBatch([aDetail(1)])),
    ).rejects.toMatchObject({
      code: 'replaced',
    })
    await store.close()
  })

  it('that others have locked says so within seconds and goes on afterwards', async () => {
    const store = await openHistory(path)
    const rival = spawn(process.execPath, ['-e', lockUntilStdinEnds(path)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(rival.stdout, 'data')
    const reader = await openUsage({ location: path, retentionDays: 90 })
    await expect(
      store.usageOf(DEFAULT_UPSTREAM).record(aBatch([aDetail(1)])),
    ).rejects.toMatchObject({ code: 'busy' })
    expect((await reader.summary(NOW)).history.totals.requests).toBe(0)
    rival.stdin.end()
    await once(rival, 'exit')
    expect(await store.usageOf(DEFAULT_UPSTREAM).record(aBatch([aDetail(1)]))).toMatchObject({
      stored: 1,
    })
    await reader.close()
    await store.close()
  }, 20_000)

  it('in a folder nobody may write is told apart', async () => {
    await (await openHistory(path)).close()
    if (process.getuid?.() === 0) {
      // Nothing is forbidden to root, so another user tries.
      chmodSync(dirname(dirname(path)), 0o755)
      chmodSync(dirname(path), 0o555)
      chmodSync(path, 0o444)
      const script = `const fs = require('node:fs'); process.setuid(65534); try { fs.openSync(${JSON.stringify(path)}, 'a') } catch (error) { console.log(error.code) }`
      expect(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout.trim()).toBe(
        'EACCES',
      )
      chmodSync(dirname(path), 0o755)
      return
    }
    chmodSync(path, 0o444)
    expect(await opening()).toBe('read_only')
  })
})

describe('how the pool was last seen', () => {
  const account = anAccount('ann', {
    message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false },
    messageAt: NOW,
  })
  const remembered = {
    account,
    evidence: evidenceOf([aQuotaSample()], {
      refusedLogin: { inARow: 2, lastAt: NOW, httpStatus: 401 },
    }),
  }
  const { authName } = account.selector
  const nothing = { points: [], readings: [], changes: [] }
  const standing = { listedAt: NOW, source: 'live', gatewayUp: true } as const

  it('is there for the next process, as it was', async () => {
    await withStore(async ({ quota }) => {
      expect(await quota.remembered()).toBeNull()
      await quota.record(nothing, { ...standing, texts: [[authName, textOfAccount(remembered)]] })
    })
    await withStore(async ({ quota }) => {
      expect(await quota.remembered()).toEqual({ ...standing, accounts: [remembered] })
      await quota.record(nothing, { ...standing, gatewayUp: null, texts: [[authName, null]] })
      expect(await quota.remembered()).toEqual({ ...standing, gatewayUp: null, accounts: [] })
    })
  })

  it('is less by an account that this version cannot read, and no part of a backup', async () => {
    await withStore(({ quota }) =>
      quota.record(nothing, {
        ...standing,
        texts: [
          [authName, textOfAccount(remembered)],
          ['bob.json', '{"account":{}}'],
          ['cem.json', '{'],
        ],
      }),
    )
    await withStore(async ({ quota }) =>
      expect((await quota.remembered())?.accounts).toHaveLength(1),
    )
    const output = `${path}.json`
    await exportBackup({ statePath: path, output, exportedAt: '', appVersion: '' })
    expect(readFileSync(output, 'utf8')).not.toContain(authName)
  })
})

describe('a file that is changed from outside while it is written', () => {
  const page = 4_096
  const rows = (from: number, length: number) =>
    Array.from({ length }, (_, number) => aDetail(from + number))
  /** What the next writes come to: `stored`, or the failure. */
  const after = async (change: () => void, writes = 1) => {
    const store = await openHistory(path)
    try {
      for (let start = 0; start < 5_000; start += 1_000)
        await store.usageOf(DEFAULT_UPSTREAM).record(aBatch(rows(start, 1_000)))
      await store.checkpoint()
      await store.usageOf(DEFAULT_UPSTREAM).record(aBatch(rows(5_000, 10)))
      change()
      for (let write = 0; write < writes; write += 1)
        await store.usageOf(DEFAULT_UPSTREAM).record(aBatch(rows(6_000 + write, 1)))
      return 'stored'
    } catch (error) {
      return error instanceof HistoryError ? error.code : error
    } finally {
      await store.close()
    }
  }

  it.each<readonly [how: string, change: () => void, outcome: string]>([
    ['not at all', () => undefined, 'stored'],
    ['truncated to a few pages', () => truncateSync(path, 10 * page), 'corrupt'],
    ['truncated to nothing', () => truncateSync(path, 0), 'corrupt'],
    [
      'overwritten by another text',
      () => writeFileSync(path, 'x'.repeat(statSync(path).size + page)),
      'corrupt',
    ],
    ['deleted', () => rmSync(path), 'replaced'],
    ['its log deleted', () => rmSync(`${path}-wal`), 'replaced'],
    ['given a second name', () => linkSync(path, `${path}.link`), 'stored'],
    ['made longer', () => appendFileSync(path, Buffer.alloc(page)), 'stored'],
  ])('%s', async (_, change, outcome) => {
    expect(await after(change)).toBe(outcome)
  })

  it('in its newest pages, at the same size: within a hundred writes', async () => {
    const damage = () => {
      const file = openSync(path, 'r+')
      const bytes = Buffer.alloc(statSync(path).size - page, 0xff)
      writeSync(file, bytes, 0, bytes.byteLength, page)
      closeSync(file)
    }
    expect(await after(damage, 100)).toBe('corrupt')
  })

  it('is looked into without losing the lock that keeps the log from being deleted by the next program that reads', async (context) => {
    if (!existsSync('/proc/locks'))
      return context.skip('skipped, because only Linux lists its locks')
    const isLocked = () => readFileSync('/proc/locks', 'utf8').includes(`:${statSync(path).ino} `)
    const seen: boolean[] = []
    await after(() => void seen.push(isLocked()))
    expect(seen).toEqual([true])
  })

  it('is read to its last page before it is written again, and refused', async () => {
    await after(() => truncateSync(path, 10 * page))
    await expect(openHistory(path, { thorough: true })).rejects.toThrow(HistoryError)
  })
})

it('a store is held by its file: another name of it, or of its folder, opens no second one', async () => {
  const alias = `${path}.alias`
  const folderAlias = `${dirname(path)}-alias`
  symlinkSync(path, alias)
  symlinkSync(dirname(path), folderAlias)
  await withStore(async (store) => {
    expect([await opening(alias), await opening(join(folderAlias, 'history.db'))]).toEqual([
      'locked',
      'locked',
    ])
    const second = `${path}.second`
    linkSync(path, second)
    expect(await opening(second)).toBe('several_names')
    await store.usageOf(DEFAULT_UPSTREAM).record(aBatch([aDetail(1)]))
    rmSync(second)
  })
  expect([await opening(alias), stored(alias)]).toEqual(['opened', 1])
})

it('a torn tail of the WAL file costs nothing that was committed before it', async () => {
  const store = await openHistory(path)
  for (let number = 0; number < 20; number += 1)
    await store.usageOf(DEFAULT_UPSTREAM).record(aBatch([aDetail(number)]))
  copyFileSync(path, `${path}.torn`)
  copyFileSync(`${path}-wal`, `${path}.torn-wal`)
  appendFileSync(`${path}.torn-wal`, Buffer.alloc(3_000, 0x5a))
  await store.close()
  expect(await opening(`${path}.torn`)).toBe('opened')
  expect(stored(`${path}.torn`)).toBe(20)
})

function holdLock(at: string, then: string): string {
  return `const Database = ${databaseClass()}; const db = new Database(${JSON.stringify(`${at}.lock`)}, { timeout: 0 }); try { db.exec('BEGIN EXCLUSIVE'); console.log('held') } catch (error) { console.log(error.message) } ${then}`
}

function lockUntilStdinEnds(at: string): string {
  return `const Database = ${databaseClass()}; const db = new Database(${JSON.stringify(at)}); db.exec('BEGIN EXCLUSIVE'); console.log('held'); process.stdin.resume().on('end', () => db.exec('ROLLBACK'))`
}
