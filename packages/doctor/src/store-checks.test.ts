import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configWith } from '@svc/config/testing'
import { DAY_MS, plusMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { openHistory } from '@svc/history'
import { storeConditions } from '@svc/views/messages'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseCheckIds } from './database-checks.ts'
import { diskVerdict, fileSystemVerdict, storeChecks, unwritableVerdict } from './store-checks.ts'

const GB = 1e9
let folder: string
const ends: (() => void)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-store-checks-'))
})
afterEach(() => {
  for (const end of ends.splice(0)) end()
  rmSync(folder, { recursive: true, force: true })
})

const path = () => join(folder, 'history.db')
const judged = (stateDb: string | null, isServiceRunning = false) =>
  storeChecks(configWith({ stateDb }), { isServiceRunning, now: NOW })

/** A store that, according to its lock, another process has open. */
async function aHeldStore(): Promise<string> {
  const store = await openHistory(path())
  ends.push(() => store.close())
  return path()
}

describe('a store that cannot be written', () => {
  const us = process.getuid?.() ?? 0

  it.each([
    ['EROFS', us, /mounted read-only/, /Mount it/],
    ['EROFS', us + 1, /mounted read-only/, /Mount it/],
    ['EACCES', us + 1, new RegExp(`uid ${us + 1}`), /chown/],
    ['EACCES', us, /cannot be written$/, /write permission/],
  ])('with %s and the owner %i says why, and what helps', (code, owner, detail, hint) => {
    expect(unwritableVerdict('/srv/history.db', code, owner)).toMatchObject({
      status: 'fail',
      code: 'read_only',
      detail: expect.stringMatching(detail),
      hint: expect.stringMatching(hint),
    })
  })
})

it.each([
  [{ isOnNetwork: false, sharedBy: null }, 'ok', 'ok', /^local$/],
  [{ isOnNetwork: false, sharedBy: 'virtiofs' }, 'warn', 'shared_file_system', /^virtiofs, /],
  [{ isOnNetwork: true, sharedBy: null }, 'fail', 'network_file_system', /cannot lock/],
])('a file system of %j is judged %s %s', (seen, status, code, detail) => {
  expect(fileSystemVerdict(seen)).toMatchObject({
    status,
    code,
    detail: expect.stringMatching(detail),
  })
})

it.each([
  [9, 'ok', /^20\.0GB free, full in 9 days/],
  [6, 'warn', /^20\.0GB free, full in 6 days/],
  [null, 'ok', /^20\.0GB free; how long that lasts is not known yet$/],
])('a disk that lasts %s days is judged %s', (days, status, detail) => {
  const use = {
    freeBytes: 20 * GB,
    roomBytes: (days ?? 1) * 1e9,
    usedBytes: 1e10,
    requestCount: days === null ? 1 : 1e8,
    requestsPerDay: 1e7,
    oldestRowAt: plusMs(NOW, -10 * DAY_MS),
  }
  const store = { freeBytes: 20 * GB, fileBytes: 1e10 / 2, use }

  expect(diskVerdict(store, 90, NOW)).toMatchObject({
    status,
    detail: expect.stringMatching(detail),
  })
})

describe('the history store', () => {
  it('that is not set is passed over, and SQLite is checked all the same', async () => {
    const { sqlite, ...others } = await judged(null)

    expect(sqlite?.status).toBe('ok')
    expect(Object.keys(others)).toEqual([
      'state_db',
      'state_db.disk',
      'state_db.file_system',
      'state_db.outgrown',
      ...databaseCheckIds,
    ])
    for (const verdict of Object.values(others)) expect(verdict.status).toBe('skip')
  })

  it.each([
    { code: 'locked', make: aHeldStore },
    {
      code: 'not_a_database',
      make: () => {
        writeFileSync(path(), 'x'.repeat(5_000))
        return path()
      },
    },
  ] as const)('that is $code has the remedy that health has', async ({ code, make }) => {
    expect((await judged(await make())).state_db?.hint).toBe(storeConditions[code].remedy)
  })

  it.each(['history.db', "an odd 'name'.db", 'linked.db'])(
    'of a newer version, %s, is replaced by its copy with the line that is printed, also after a crash',
    async (name) => {
      const at = join(folder, name)
      const real = join(folder, name.replace('linked', 'real'))
      await (await openHistory(real)).close()
      if (real !== at) symlinkSync(real, at)
      const newer = await openHistory(at, { laterMigrations: ['CREATE TABLE newer (x INTEGER)'] })
      for (const suffix of ['', '-wal', '-shm'])
        copyFileSync(real + suffix, `${real}${suffix}.kept`)
      await newer.close()
      // What a process leaves that was killed.
      for (const suffix of ['', '-wal', '-shm']) renameSync(`${real}${suffix}.kept`, real + suffix)
      const { state_db } = await judged(at)
      expect(state_db).toMatchObject({ status: 'fail', code: 'newer_version' })
      const [, line = ''] = state_db?.hint?.split(':  ') ?? []
      expect(line).toMatch(/^rm -f .*-wal'? .*-shm'? && mv .*\.before-\d+'? /)

      execFileSync('sh', ['-c', line])
      expect((await judged(at)).state_db).toMatchObject({ status: 'ok', code: 'ok' })
      expect(readdirSync(folder).filter((file) => /-(?:wal|shm)$/.test(file))).toEqual([])
    },
  )

  it('of a newer version, without a copy, has none to go back to', async () => {
    const store = await openHistory(path(), {
      laterMigrations: ['CREATE TABLE newer (x INTEGER)'],
    })
    await store.close()

    expect((await judged(path())).state_db?.hint).toContain('no copy')
  })

  it('that cannot be opened leaves disk and file system unjudged', async () => {
    writeFileSync(path(), 'x'.repeat(5_000))
    const verdicts = await judged(path())

    expect(verdicts['state_db.disk']).toMatchObject({ status: 'skip' })
    expect(verdicts['state_db.file_system']).toMatchObject({ status: 'skip' })
  })
})
