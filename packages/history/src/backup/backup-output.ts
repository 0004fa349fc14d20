import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { HistoryError, historyErrorOf } from '../contract/history-error.ts'
import { lockStore } from '../sqlite/store-lock.ts'
import { BACKUP_FORMAT } from './format/backup-format.ts'
import { BackupError } from './format/backup-progress.ts'

/** Where a backup is written to. */
export interface BackupOutput {
  /** Throws BackupError and what the file system throws. */
  write(text: string): Promise<void>
  /** What was written is complete and gets its name. */
  finish(): void
  /** Leaves nothing of an output that was not finished. */
  close(): void
}

const STDOUT = 1
const UNFINISHED = '.unfinished'
/** A pipe that is full is tried again after this. */
const FULL_PIPE_MS = 5

/**
 * A new file, mode 0600, that gets its name when it is complete. What an export left behind that was killed, here or beside it, is taken away. Throws
 * BackupError.
 */
export function openBackupFile(output: string): BackupOutput {
  if (lstatSync(output, { throwIfNoEntry: false }) !== undefined)
    throw new BackupError(`${output} exists already: choose another name`)
  for (const leftover of leftoversIn(dirname(output)))
    if (leftover !== output + UNFINISHED) removeLeftover(leftover)
  const unfinished = output + UNFINISHED
  const lock = claim(unfinished)
  if (lock === 'taken') throw new BackupError(`another export to ${output} is under way`)
  if (lock !== null && isBackupStart(unfinished, true)) rmSync(unfinished)
  let file: number
  try {
    file = openNew(unfinished)
  } catch (error) {
    lock?.end()
    throw error
  }
  let finished = false
  return {
    write: (text) => writeAll(file, text),
    finish() {
      fsyncSync(file)
      placeNew(unfinished, output)
      finished = true
    },
    close() {
      closeSync(file)
      // A file that was placed by a new name has no other one any more.
      if (!finished || lstatSync(unfinished, { throwIfNoEntry: false }) !== undefined)
        rmSync(unfinished, { force: true })
      lock?.end()
    },
  }
}

/** Standard output: for a pipe. */
export function openBackupPipe(): BackupOutput {
  return { write: (text) => writeAll(STDOUT, text), finish() {}, close() {} }
}

async function writeAll(file: number, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.byteLength; ) {
    const count = await writeSome(file, bytes, written)
    if (count === 0) throw new HistoryError('io_error', 'the backup cannot be written any further')
    written += count
  }
}

async function writeSome(file: number, bytes: Buffer, offset: number): Promise<number> {
  for (;;) {
    try {
      return writeSync(file, bytes, offset)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EPIPE')
        throw new BackupError('nobody reads the backup any more: it is not complete')
      if (code === 'ENOSPC') throw new BackupError('there is no space left for the backup')
      if (code !== 'EAGAIN') throw error
      await new Promise((resolve) => setTimeout(resolve, FULL_PIPE_MS))
    }
  }
}

/**
 * Gives a finished file its name, never in the place of another. A link is the surest way; where a file system has none the name is taken first, by an
 * empty file of our own, which is then replaced. Throws BackupError.
 */
export function placeNew(
  unfinished: string,
  output: string,
  link: typeof linkSync = linkSync,
): void {
  const exists = () => new BackupError(`${output} has come up meanwhile: choose another name`)
  try {
    link(unfinished, output)
    return
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw exists()
  }
  let mine: number
  try {
    const file = openSync(output, 'wx', 0o600)
    mine = fstatSync(file).ino
    closeSync(file)
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? exists() : error
  }
  const there = statSync(output)
  if (there.ino !== mine || there.size > 0) throw exists()
  renameSync(unfinished, output)
}

/** Keeps a second export away from an unfinished file; null where the file system has no locks. */
function claim(unfinished: string): { end(): void } | 'taken' | null {
  try {
    const lock = lockStore(unfinished)
    return {
      end() {
        lock.release()
        rmSync(`${lock.path}.lock`, { force: true })
      },
    }
  } catch (error) {
    const { code } = historyErrorOf(error)
    // It was killed when its file had both names already.
    if (code === 'several_names') return { end() {} }
    return code === 'locked' ? 'taken' : null
  }
}

function leftoversIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(UNFINISHED))
      .map((name) => join(folder, name))
  } catch {
    // Opening the file says what is wrong with its folder.
    return []
  }
}

function removeLeftover(path: string): void {
  if (!isBackupStart(path, existsSync(`${path}.lock`))) return
  const lock = claim(path)
  if (lock === 'taken' || lock === null) return
  rmSync(path, { force: true })
  lock.end()
}

/** Only what an export of ours has begun is ever removed. One that was killed at once has left an empty file, and its lock beside it: `orEmpty`. */
function isBackupStart(path: string, orEmpty: boolean): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile()) return false
  const start = `{"format":"${BACKUP_FORMAT}"`
  const bytes = Buffer.alloc(start.length)
  try {
    const file = openSync(path, 'r')
    try {
      const length = readSync(file, bytes, 0, bytes.byteLength, 0)
      return length === 0 ? orEmpty : bytes.toString('latin1') === start
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST')
      throw new BackupError(`${path} exists, and is not an unfinished export: remove it first`)
    throw new BackupError(
      `${path} cannot be written: ${statSync(dirname(path), { throwIfNoEntry: false }) === undefined ? 'its folder does not exist' : 'no permission, or no space'}`,
    )
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
