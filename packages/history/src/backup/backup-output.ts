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
import { HistoryError } from '../contract/history-error.ts'
import { historyErrorOf } from '../sqlite/sqlite-error.ts'
import { lockStore } from '../sqlite/store-lock.ts'
import { BACKUP_FORMAT, BackupError } from './format/backup-format.ts'

export interface BackupOutput {
  /** Writes a part. Throws BackupError and errors of the file system. */
  write(text: string): Promise<void>
  /** Completes the output; a file now gets its final name. */
  finish(): void
  /** Closes the output and removes it unless it was finished. */
  close(): void
}

const STDOUT = 1
const UNFINISHED = '.unfinished'
/** Wait before the next attempt to write to a full pipe. */
const FULL_PIPE_MS = 5

/**
 * Opens a new file with mode 0600, which gets its name when it is complete. Removes leftovers of killed exports from its folder. Throws BackupError.
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
      // After a rename the file no longer has its unfinished name.
      if (!finished || lstatSync(unfinished, { throwIfNoEntry: false }) !== undefined)
        rmSync(unfinished, { force: true })
      lock?.end()
    },
  }
}

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
 * Gives a finished file its name without replacing another file. Uses a hard link; on a file system without links it reserves the name with an empty
 * file and then replaces that file. Throws BackupError.
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

/** Locks an unfinished file against a second export; `taken` if another export holds it, null on a file system without locks. */
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
    // That export was killed when its file already had both names.
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
    // Opening the file reports the problem with its folder.
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

/**
 * Whether a file is an unfinished export, the only kind of file ever removed. With `orEmpty` an empty file counts too, because an export killed at
 * once leaves one beside its lock.
 */
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
