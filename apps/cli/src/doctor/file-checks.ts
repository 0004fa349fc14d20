import { constants, promises as fs } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { readBenchmarkSummary, readClientLabels } from '@svc/collector'
import type { Config } from '@svc/config'
import { type CheckId, fail, ok, skip, skippedBecause, type Verdict, warn } from './finding.ts'

type Verdicts = Partial<Record<CheckId, Verdict>>

const OTHERS_READ = 0o004
const OTHERS_WRITE = 0o022
const hasModes = process.platform !== 'win32'
/** More auth files than this are counted, not looked at one by one. */
const AUTH_FILES_MAX = 5_000
const MB = 1024 * 1024
/** The store stops to write below 64 MB; this leaves time to act. Source: reliability F58. */
const FREE_BYTES_LOW = 1024 * MB
const FREE_BYTES_MIN = 64 * MB

/** The files and folders of the configuration; nothing is written. */
export async function fileChecks(config: Config): Promise<Verdicts> {
  return {
    auth_dir: await authDirVerdict(config),
    ...(await storeVerdicts(config)),
    client_labels: await fileVerdict(config.clientLabelsFile, 'client_labels_file', async (path) => {
      const labels = await readClientLabels(path)
      return `${labels.size} names`
    }),
    benchmark: await fileVerdict(config.benchmarkSummary, 'benchmark_summary', async (path) => {
      const { generatedAt } = await readBenchmarkSummary(path)
      return generatedAt === null ? 'readable, without a time' : 'readable'
    }),
  }
}

async function authDirVerdict({ authDir, quotaTransport }: Config): Promise<Verdict> {
  if (authDir === null) return skip('auth_dir is not set; only quota_transport auth-files needs it')
  const use = quotaTransport === 'auth-files' ? '' : '; nothing reads it, because quota_transport is not auth-files'
  try {
    if (!(await fs.stat(authDir)).isDirectory()) return fail(`${authDir} is no folder`, 'Point auth_dir at the folder of auth files.')
    await fs.access(authDir, constants.R_OK | constants.X_OK)
    const names = (await fs.readdir(authDir)).filter((name) => name.endsWith('.json'))
    if (names.length === 0) return warn(`${authDir} holds no .json file`, 'Point auth_dir at the auth-dir of the proxy.')
    const root = await fs.realpath(authDir)
    const modes = await Promise.all(
      [root, ...names.slice(0, AUTH_FILES_MAX).map((name) => join(root, name))].map((path) => modeOf(path, root)),
    )
    const isUnreadable = modes.slice(1).filter((mode) => mode === null).length
    if (isUnreadable > 0)
      return fail(`${isUnreadable} of ${names.length} auth files cannot be read`, 'Let this user read them, and nobody else.')
    if (modes.some((mode) => ((mode ?? 0) & OTHERS_WRITE) !== 0)) {
      return fail(`others can write to ${authDir} or to files in it`, 'chmod 700 the folder and 600 the files.')
    }
    if (modes.slice(1).some((mode) => ((mode ?? 0) & OTHERS_READ) !== 0) && ((modes[0] ?? 0) & 0o001) !== 0) {
      return warn(`other users of this machine can read tokens in ${authDir}`, 'chmod 700 the folder, or 600 the files.')
    }
    return ok(`${names.length} auth files${use}`)
  } catch (error) {
    return fail(`${authDir} cannot be read (${codeOf(error)})`, 'Correct auth_dir, or let this user read the folder.')
  }
}

/** Rights of a regular file or folder that can be read, and lies inside of `root` where one is given; null of any other. */
async function modeOf(path: string, root: string | null = null): Promise<number | null> {
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

async function storeVerdicts({ stateDb }: Config): Promise<Verdicts> {
  if (stateDb === null) {
    const off = skip('state_db is not set: no history is kept')
    return { sqlite: off, state_db: off, 'state_db.disk': off, 'state_db.file_system': off }
  }
  // Loaded only where a store is configured: with it comes SQLite.
  const { HistoryError, inspectSqlite, inspectStore } = await import('@svc/history')
  let sqlite: Verdict
  try {
    const { version, isSafe } = inspectSqlite()
    sqlite = isSafe ? ok(version) : fail(`${version} can damage the store`, 'Install the version of better-sqlite3 this program names.')
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    const because = skippedBecause('sqlite')
    const hint = 'Install a compiler (Debian: build-essential, python3) and run the installation again.'
    return { sqlite: fail(error.message, hint), state_db: because, 'state_db.disk': because, 'state_db.file_system': because }
  }
  try {
    const { file, fileBytes, isIntact, freeBytes, isOnNetwork } = inspectStore(stateDb)
    return {
      sqlite,
      state_db: await storeVerdict(stateDb, file, fileBytes, isIntact),
      'state_db.disk': diskVerdict(freeBytes, fileBytes),
      'state_db.file_system': isOnNetwork
        ? fail('a network file system, where SQLite cannot lock', 'Put state_db on a disk of this machine.')
        : ok('local'),
    }
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    const because = skippedBecause('state_db')
    return {
      sqlite,
      state_db: fail(
        `${stateDb}: ${error.message}`,
        STORE_HINTS[error.code] ?? 'Correct state_db, or restore a backup with import-history.',
      ),
      'state_db.disk': because,
      'state_db.file_system': because,
    }
  }
}

const STORE_HINTS: Readonly<Record<string, string>> = {
  cannot_open: 'Make the folder, let this user write to it, or correct state_db.',
  read_only: 'Let this user read and write the file and its folder.',
  not_a_database: 'Point state_db at another file, or move this one away.',
  not_ours: 'Point state_db at a file of its own.',
  newer_version: 'Update this program, or point state_db at another file.',
}

async function storeVerdict(path: string, file: 'missing' | 'empty' | 'store', bytes: number, isIntact: boolean | null): Promise<Verdict> {
  const place = file === 'missing' ? dirname(path) : path
  const isWritable = await fs.access(place, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable) return fail(`${place} cannot be written by this user`, 'Let the user of the service write it and its folder.')
  if (file !== 'store') return ok(`${path} will be made at the first start`)
  if (isIntact === false) return fail(`${path} is damaged`, 'Keep a copy, and import a backup into a new file with import-history.')
  const mode = await modeOf(path)
  if (mode !== null && (mode & OTHERS_READ) !== 0) {
    return warn(`other users of this machine can read ${path}, which holds client keys`, 'chmod 600 it.')
  }
  const checked = isIntact === null ? '; too large to be checked for damage here' : ''
  return ok(`${path}, ${sizeText(bytes)}${checked}`)
}

function diskVerdict(freeBytes: number, fileBytes: number): Verdict {
  const detail = `${sizeText(freeBytes)} free`
  if (freeBytes < FREE_BYTES_MIN) return fail(`${detail}: nothing more is stored`, 'Make room, or move state_db to another disk.')
  // An update of the schema makes a copy first.
  return freeBytes < Math.max(FREE_BYTES_LOW, 2 * fileBytes)
    ? warn(detail, 'Make room: an update may need twice the size of the store.')
    : ok(detail)
}

const sizeText = (bytes: number): string => (bytes >= 1024 * MB ? `${(bytes / 1024 / MB).toFixed(1)} GB` : `${Math.ceil(bytes / MB)} MB`)

async function fileVerdict(path: string | null, key: string, read: (path: string) => Promise<string>): Promise<Verdict> {
  if (path === null) return skip(`${key} is not set`)
  try {
    return ok(`${path}: ${await read(path)}`)
  } catch (error) {
    // These name the place and never the content.
    const why = error instanceof Error && error.name === 'UpstreamError' ? error.message : 'it cannot be read'
    return fail(`${path}: ${why}`, `Correct the file, or ${key}.`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
