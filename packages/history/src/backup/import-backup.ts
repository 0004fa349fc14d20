import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import { historyErrorOf } from '../sqlite/sqlite-error.ts'
import { withTarget } from './engines.ts'
import {
  BackupError,
  backupErrorOf,
  EARLIER_FORMAT,
  type Progress,
} from './format/backup-format.ts'
import { readHead, readRows } from './format/backup-reader.ts'
import { createRowCheck } from './format/backup-values.ts'
import { addRows } from './target/import-target.ts'

/** Backup and store of an import. Paths are absolute. */
export interface ImportOptions {
  readonly statePath: string
  /** File with the password of a database; null if the environment has it. */
  readonly passwordFile?: string | null
  /** Path of the backup, or descriptor of a regular file. */
  readonly file: string | number
  readonly now: EpochMs
  readonly onProgress?: Progress
  /** Ends the import between two transactions; the next run continues it. */
  readonly stop?: AbortSignal
}

const ROWS_PER_TURN = 1_000

/**
 * Adds a backup to a store without removing anything. The whole file is checked before the first row is written; then rows are added by transactions,
 * each once, so that an interrupted import is completed by running it again. Throws HistoryError (`locked` while a service holds the store) and
 * BackupError.
 */
export async function importBackup({
  statePath,
  passwordFile = null,
  file: given,
  now,
  onProgress,
  stop,
}: ImportOptions) {
  const file = typeof given === 'number' ? given : openBackup(given)
  try {
    const head = readHead(file)
    const total = 2 * Object.values(head.counts).reduce((sum, count) => sum + count, 0)
    const turn = async (rows: number) => {
      onProgress?.({ rows, total })
      await new Promise((resolve) => setImmediate(resolve))
      if (stop?.aborted === true)
        throw new BackupError('interrupted: import the same file again to go on')
    }
    let checked = 0
    const check = createRowCheck(now)
    for (const line of readRows(file)) {
      checked += 1
      check.check(line)
      if (checked % ROWS_PER_TURN === 0) await turn(checked)
    }
    const certainAt = epochMs(Math.min(now, check.newestAt() ?? now))
    const meta = check.meta()
    const dayAfter = epochMs((Math.floor(certainAt / DAY_MS) + 1) * DAY_MS)
    const tiersSince = head.formatVersion === EARLIER_FORMAT ? dayAfter : meta.tiersSince
    const result = await withTarget(
      statePath,
      passwordFile,
      { meta: { ...meta, tiersSince: tiersSince ?? null }, certainAt },
      async (target) => {
        const added = await addRows(target, readRows(file), (rows) => turn(checked + rows))
        await target.settle()
        return added
      },
    )
    onProgress?.({ rows: total, total })
    return result
  } catch (error) {
    throw backupErrorOf(error) ?? historyErrorOf(error)
  } finally {
    closeSync(file)
  }
}

/** Opens a regular file for reading. Throws BackupError. */
export function openBackup(path: string): number {
  let file: number
  try {
    // Non-blocking, so that a pipe does not hang.
    file = openSync(path, constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0))
  } catch {
    throw new BackupError(`${path} cannot be read`)
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new BackupError(`${path} is not a regular file`)
}
