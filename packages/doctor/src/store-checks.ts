import { constants, promises as fs } from 'node:fs'
import { dirname, sep } from 'node:path'
import { type Config, isDatabaseAddress } from '@svc/config'
import { type EpochMs, HOUR_MS, plusMs } from '@svc/core'
import { diskRoomOf, FULL_DAYS_MIN } from '@svc/core/health'
import { errorCodeOf } from '@svc/core/service'
import { shellWord } from '@svc/deploy'
import type { StoreInspection } from '@svc/history'
import { bytesText } from '@svc/views/format'
import { actionConditions, catalogueOf, storeConditions, storeErrorText } from '@svc/views/messages'
import { databaseChecks, databaseVerdicts } from './database-checks.ts'
import {
  type CheckVerdict,
  fail,
  ok,
  skip,
  skippedBecause,
  type Verdicts,
  warn,
} from './finding.ts'
import {
  BACKLOG_HOURS_MAX,
  FREE_MEGABYTES_LOW,
  FREE_MEGABYTES_MIN,
  OUTGROWN_GIGABYTES,
  OUTGROWN_ROWS_PER_SECOND,
} from './limits.ts'

const OTHERS_READ = 0o004
const hasModes = process.platform !== 'win32'

/** Mode bits of a readable regular file or folder, inside `root` if given; null otherwise. 0 on Windows. */
export async function modeOf(path: string, root: string | null = null): Promise<number | null> {
  try {
    const target = await fs.realpath(path)
    if (root !== null && target !== root && !target.startsWith(root + sep)) return null
    const stats = await fs.stat(target)
    if (!stats.isFile() && !stats.isDirectory()) return null
    await fs.access(path, constants.R_OK)
    return hasModes ? stats.mode : 0
  } catch {
    return null
  }
}

const MB = 1024 * 1024

interface Circumstances {
  readonly isServiceRunning: boolean
  readonly now: EpochMs
}

/** Checks that apply only to a store file. */
const FILE_CHECKS = [
  'sqlite',
  'state_db.disk',
  'state_db.file_system',
  'state_db.outgrown',
] as const

/** Opens the configured store in the same way as the service, and checks it. */
export async function storeChecks(
  { history }: Config,
  circumstances: Circumstances,
): Promise<Verdicts> {
  if (history.stateDb === null || !isDatabaseAddress(history.stateDb)) {
    const none = history.stateDb === null ? NO_STORE : 'state_db is a file'
    return { ...(await fileChecks(history, circumstances)), ...databaseVerdicts(skip(none)) }
  }
  const ofFile = FILE_CHECKS.map((id) => [id, skip('state_db is a database')] as const)
  return { ...Object.fromEntries(ofFile), ...(await databaseChecks(history, circumstances.now)) }
}

const NO_STORE = 'state_db is not set: no history is kept'

/** Checks the SQLite module, and the store file if one is configured. */
async function fileChecks(
  { stateDb, usageRetentionDays }: Config['history'],
  { isServiceRunning, now }: Circumstances,
): Promise<Verdicts> {
  const { copyBeforeUpdate, HistoryError, inspectSqlite, inspectStore } = await import(
    '@svc/history'
  )
  const others = (verdict: CheckVerdict): Verdicts => ({
    state_db: verdict,
    'state_db.disk': verdict,
    'state_db.file_system': verdict,
    'state_db.outgrown': verdict,
  })
  const off = stateDb === null ? others(skip(NO_STORE)) : null
  let sqlite: CheckVerdict
  try {
    const { version, driver, isSafe } = inspectSqlite()
    sqlite = isSafe
      ? ok(`${version} of ${driver}`)
      : fail(
          'sqlite_too_old',
          `${version} of ${driver}, can damage the store`,
          storeConditions.sqlite_too_old.remedy,
        )
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    const hint = error.remedy ?? storeConditions[error.code].remedy
    const text = storeErrorText(error)
    if (off !== null)
      return {
        sqlite: warn(error.code, `${text}; nothing needs it until state_db is set`, hint),
        ...off,
      }
    return { sqlite: fail(error.code, text, hint), ...others(skippedBecause('sqlite')) }
  }
  if (stateDb === null) return { sqlite, ...off }
  try {
    const store = inspectStore(stateDb)
    return {
      sqlite,
      state_db: await storeVerdict(stateDb, store, isServiceRunning),
      'state_db.disk': diskVerdict(store, usageRetentionDays, now),
      'state_db.file_system': fileSystemVerdict(store),
      'state_db.outgrown': outgrownVerdict(store, usageRetentionDays, now),
    }
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    return {
      sqlite,
      ...others(skippedBecause('state_db')),
      state_db: fail(
        error.code,
        `${stateDb}: ${storeErrorText(error)}`,
        error.code === 'newer_version'
          ? wayBackTo(copyBeforeUpdate(stateDb))
          : storeConditions[error.code].remedy,
      ),
    }
  }
}

/** Remedy for a store of a newer version. The commands delete its log, which SQLite would otherwise apply to the copy. */
function wayBackTo(copy: string | null): string {
  if (copy === null)
    return 'Update this program, or point state_db at another file; beside it is no copy that this version can read.'
  const store = (suffix: string) => shellWord(copy.replace(/\.before-\d+$/, suffix))
  return `Update this program; or stop the service and go back to the copy made before the update, without what was recorded since:  rm -f ${store('-wal')} ${store('-shm')} && mv ${shellWord(copy)} ${store('')}`
}

/** Verdict on the file system of a store; the service refuses only network file systems. */
export function fileSystemVerdict({
  isOnNetwork,
  sharedBy,
}: Pick<StoreInspection, 'isOnNetwork' | 'sharedBy'>): CheckVerdict {
  if (isOnNetwork)
    return fail(
      'network_file_system',
      'a network file system, where SQLite cannot lock',
      storeConditions.network_file_system.remedy,
    )
  return sharedBy === null
    ? ok('local')
    : warn(
        'shared_file_system',
        `${sharedBy}, by which another machine or the host may have the same folder: SQLite sees no lock of theirs, and two writers would damage the store`,
        'Move state_db to a disk of this machine; nothing, where no other machine opens that folder.',
      )
}

async function storeVerdict(
  path: string,
  store: StoreInspection,
  isServiceRunning: boolean,
): Promise<CheckVerdict> {
  const { file, fileBytes, isIntact, isLocked } = store
  if (file === 'lost')
    return fail(
      'dangling_link',
      `${path} is a link into a folder that does not exist`,
      'Mount the disk it leads to, or correct the link.',
    )
  if (file === 'dangling') {
    const hint = 'Nothing, at a first start; otherwise find the file it used to lead to.'
    return warn(
      'dangling_link',
      `${path} is a link to a file that does not exist; a new store would be made there`,
      hint,
    )
  }
  const place = file === 'missing' ? dirname(path) : path
  const refusal = await fs.access(place, constants.W_OK).then(() => null, errorCodeOf)
  if (refusal !== null) return unwritableVerdict(place, refusal, (await fs.stat(place)).uid)
  if (isLocked && !isServiceRunning) {
    return fail(
      'locked',
      `${path} is held by another process, and no service of this configuration runs`,
      storeConditions.locked.remedy,
    )
  }
  if (file !== 'store') return ok(`${path} will be made at the first start`, 'not_made_yet')
  if (isIntact === false) {
    return fail('corrupt', `${path} is damaged`, storeConditions.corrupt.remedy)
  }
  const mode = await modeOf(path)
  if (mode !== null && (mode & OTHERS_READ) !== 0) {
    return warn(
      'readable_by_others',
      `other users of this machine can read ${path}, which holds client keys`,
      'chmod 600 it.',
    )
  }
  const checked = isIntact === null ? '; too large to be checked for damage here' : ''
  return ok(
    `${path}, ${bytesText(fileBytes)}${isLocked ? ', in use by the running service' : ''}${checked}`,
  )
}

/** Verdict on a place that cannot be written. `owner` is a numeric user id. */
export function unwritableVerdict(place: string, refusal: string, owner: number): CheckVerdict {
  if (refusal === 'EROFS')
    return fail(
      'read_only',
      `${place} is on a file system that is mounted read-only`,
      'Mount it for writing, or point state_db to another disk.',
    )
  return owner === process.getuid?.()
    ? fail('read_only', `${place} cannot be written`, storeConditions.read_only.remedy)
    : fail(
        'read_only',
        `${place} belongs to another user (uid ${owner}) and cannot be written by this one`,
        'Run doctor as the user of the service, or give the store to that user (chown).',
      )
}

export function diskVerdict(
  { freeBytes, fileBytes, use }: Pick<StoreInspection, 'freeBytes' | 'fileBytes' | 'use'>,
  retentionDays: number,
  now: EpochMs,
): CheckVerdict {
  const days = use === null ? null : diskRoomOf(use, retentionDays, now).fullInDays
  const { sources } = catalogueOf('en')
  const detail = sources.disk({ free: bytesText(freeBytes), days }).replace(/\.$/, '')
  if (freeBytes < FREE_MEGABYTES_MIN * MB)
    return fail('disk_full', `${detail}: nothing more is stored`, storeConditions.disk_full.remedy)
  if (days !== null && days < FULL_DAYS_MIN)
    return warn('disk_low', detail, actionConditions.history_disk_filling.remedy)
  // An update of the schema makes a copy first.
  return freeBytes < Math.max(FREE_MEGABYTES_LOW * MB, 2 * fileBytes)
    ? warn('disk_low', detail, 'Make room: an update may need twice the size of the store.')
    : ok(detail)
}

const GB = 1e9
const DAY_SECONDS = 86_400

/** Whether a file is still the right place for a history of this size. */
export function outgrownVerdict(
  store: StoreInspection,
  retentionDays: number,
  now: EpochMs,
): CheckVerdict {
  if (store.file !== 'store') return skip('there is nothing in it yet', 'not_made_yet')
  const { fileBytes, isOnNetwork } = store
  const { requestsPerDay = null, oldestRowAt = null } = store.use ?? {}
  const perSecond = (requestsPerDay ?? 0) / DAY_SECONDS
  const kept = plusMs(now, -(retentionDays * 24 + BACKLOG_HOURS_MAX) * HOUR_MS)
  const reasons = [
    ...(fileBytes > OUTGROWN_GIGABYTES * GB ? [bytesText(fileBytes)] : []),
    ...(perSecond > OUTGROWN_ROWS_PER_SECOND
      ? [`${Math.round(perSecond)} requests a second, day and night`]
      : []),
    ...(oldestRowAt !== null && oldestRowAt < kept
      ? ['requests are left that are older than usage_retention_days by more than a day']
      : []),
    ...(isOnNetwork ? ['a network file system'] : []),
  ]
  return reasons.length === 0
    ? ok('a file is enough')
    : warn(
        'outgrown',
        reasons.join(', '),
        'Move the history to PostgreSQL: init postgres sets it up, migrate-history copies it while the service runs.',
      )
}
