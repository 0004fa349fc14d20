import { isAbsolute, join } from 'node:path'
import { epochMs, instantToIso } from '@svc/core'
import { type CliContext, EXIT, usageError } from '../cli-context.ts'
import type { ParsedOptions } from '../flags.ts'
import { progressLine } from '../progress-line.ts'

/** Writes a backup of a store to a new file. Resolves with the exit code. */
export async function exportHistory(options: ParsedOptions, context: CliContext): Promise<number> {
  const statePath = pathIn(context, options.stateDb)
  const output = pathIn(context, options.output)
  if (statePath === null || output === null) return usageError(context, 'export-history needs --state-db <path> and --output <file>')
  const { exportBackup } = await import('@svc/history')
  const progress = progressLine(context, 'exported')
  return await told(context, async (stop) => {
    const exportedAt = instantToIso(context.clock.now())
    const rows = await exportBackup({ statePath, output, exportedAt, appVersion: context.version, onProgress: progress.show, stop })
    progress.end()
    context.stdout(`${rows} rows exported to ${output}. It holds client keys: keep it as safe as the store.\n`)
  })
}

/** Adds a backup to a store. Resolves with the exit code. */
export async function importHistory(file: unknown, options: ParsedOptions, context: CliContext): Promise<number> {
  const statePath = pathIn(context, options.stateDb)
  const path = pathIn(context, file)
  if (statePath === null || path === null) return usageError(context, 'import-history needs --state-db <path> and a <file>')
  const { importBackup } = await import('@svc/history')
  const progress = progressLine(context, 'imported')
  return await told(context, async (stop) => {
    const now = epochMs(context.clock.now())
    const { rows, added } = await importBackup({ statePath, file: path, now, onProgress: progress.show, stop })
    progress.end()
    context.stdout(`${rows} rows read, ${added} usage rows added.\n`)
  })
}

/** Relative paths are meant from the working directory; null when none was given. */
function pathIn(context: CliContext, given: unknown): string | null {
  const path = [given].flat().at(-1)
  if (typeof path === 'number') return join(context.cwd, String(path))
  if (typeof path !== 'string' || path === '') return null
  return isAbsolute(path) ? path : join(context.cwd, path)
}

/** Failures with a name of their own are one line; a signal ends the work cleanly. */
async function told(context: CliContext, work: (stop: AbortSignal) => Promise<void>): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onSignal(signal, () => stop.abort())
  try {
    await work(stop.signal)
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof Error) || !(error.name === 'BackupError' || error.name === 'HistoryError')) throw error
    context.stderr(`svc-quota-monitor: ${error.message}\n`)
    return EXIT.failed
  }
}
