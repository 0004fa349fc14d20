import { createHash } from 'node:crypto'
import { historyErrorOf } from '../sqlite/sqlite-error.ts'
import { type BackupOutput, openBackupFile, openBackupPipe } from './backup-output.ts'
import { withSource } from './engines.ts'
import {
  BACKUP_FORMAT,
  BACKUP_FORMAT_VERSION,
  BackupError,
  type BackupTable,
  backupErrorOf,
  backupTableNames,
  type Progress,
} from './format/backup-format.ts'
import type { BackupSource } from './format/backup-lines.ts'

/** Store, output and head of an export. Paths are absolute. */
export interface ExportOptions {
  readonly statePath: string
  /** File with the password of a database; null if the environment has it. */
  readonly passwordFile?: string | null
  /** Path of a new file; `-` for standard output. */
  readonly output: string
  readonly exportedAt: string
  readonly appVersion: string
  readonly onProgress?: Progress
  readonly stop?: AbortSignal
}

/** Rows between two pauses for other work. */
const ROWS_PER_TURN = 20_000
const BYTES_PER_WRITE = 256 * 1024

/**
 * Writes the content of a store at one moment to a new file, mode 0600, or to a pipe. The file gets its name when it is complete. Resolves with the
 * number of rows. Throws HistoryError and BackupError.
 */
export async function exportBackup(options: ExportOptions): Promise<number> {
  return await withSource(options.statePath, options.passwordFile ?? null, async (source) => {
    const output = options.output === '-' ? openBackupPipe() : openBackupFile(options.output)
    try {
      const rows = await writeBackup(source, output, options)
      output.finish()
      return rows
    } catch (error) {
      throw backupErrorOf(error) ?? historyErrorOf(error)
    } finally {
      output.close()
    }
  })
}

async function writeBackup(
  source: BackupSource,
  output: BackupOutput,
  { exportedAt, appVersion, onProgress, stop }: ExportOptions,
): Promise<number> {
  const counts: Partial<Record<BackupTable, number>> = {}
  let total = 0
  for (const table of backupTableNames) total += counts[table] = await source.count(table)
  const head = {
    format: BACKUP_FORMAT,
    formatVersion: BACKUP_FORMAT_VERSION,
    exportedAt,
    appVersion,
    schemaVersion: source.schemaVersion,
    containsSecrets: true,
    counts,
  }
  const digest = createHash('sha256')
  await output.write(`${JSON.stringify(head).slice(0, -1)},"tables":`)
  let text = '{'
  const flush = async () => {
    digest.update(text)
    await output.write(text)
    text = ''
  }
  let rows = 0
  for (const [index, table] of backupTableNames.entries()) {
    text += `${index === 0 ? '' : ','}\n"${table}":[`
    let first = true
    for await (const page of source.pages(table)) {
      for (const row of page) {
        text += first ? `\n${row}` : `,\n${row}`
        if (text.length >= BYTES_PER_WRITE) await flush()
        first = false
        rows += 1
        if (rows % ROWS_PER_TURN !== 0) continue
        onProgress?.({ rows, total })
        await new Promise((resolve) => setImmediate(resolve))
        if (stop?.aborted === true) throw new BackupError('interrupted: nothing was written')
      }
    }
    text += first ? ']' : '\n]'
  }
  text += '\n}'
  digest.update(text)
  await output.write(`${text},"sha256":"${digest.digest('hex')}"}\n`)
  onProgress?.({ rows, total })
  return rows
}
