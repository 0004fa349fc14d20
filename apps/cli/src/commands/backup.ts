import { isAbsolute, join } from 'node:path'
import { resolveConfig } from '@svc/config'
import { epochMs, instantToIso } from '@svc/core'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { configInput, type ParsedOptions } from '../program/flags.ts'
import { progressLine } from '../program/progress-line.ts'
import { spooledInput } from '../program/spooled-input.ts'
import { isStoreError, storeErrorText } from '../program/store-error-text.ts'

/** In place of a file name: standard output, or standard input. */
const PIPE = '-'

/** Writes a backup of a store to a new file, or to standard output. Resolves with the exit code; throws ConfigError. */
export async function exportHistory(options: ParsedOptions, context: CliContext): Promise<number> {
  const statePath = storeOf(options, context)
  const output = pathIn(context, options.output)
  if (statePath === null || output === null) {
    return usageError(
      context,
      'export-history needs --state-db <path> (or state_db in the configuration) and --output <file>',
    )
  }
  const { exportBackup } = await import('@svc/history')
  const progress = progressLine(context, 'exported')
  return await reportErrorsOf(context, async (stop) => {
    const exportedAt = instantToIso(context.clock.now())
    const rows = await exportBackup({
      statePath,
      output,
      exportedAt,
      appVersion: context.version,
      onProgress: progress.show,
      stop,
    })
    progress.end()
    const safe = 'It holds client keys: keep it as safe as the store.'
    if (output === PIPE) context.stderr(`${rows} rows exported. ${safe}\n`)
    else context.stdout(`${rows} rows exported to ${output}. ${safe}\n`)
  })
}

/** Adds a backup, from a file or from standard input, to a store. Resolves with the exit code; throws ConfigError. */
export async function importHistory(
  options: ParsedOptions,
  context: CliContext,
  file: unknown,
): Promise<number> {
  const statePath = storeOf(options, context)
  const path = pathIn(context, file === undefined && hasDash(context) ? PIPE : file)
  if (statePath === null || path === null) {
    return usageError(
      context,
      'import-history needs --state-db <path> (or state_db in the configuration) and a <file>',
    )
  }
  const { importBackup } = await import('@svc/history')
  const progress = progressLine(context, 'imported')
  return await reportErrorsOf(context, async (stop) => {
    const now = epochMs(context.clock.now())
    const backup = path === PIPE ? await spooledInput(context.stdin(), statePath, stop) : path
    const { rows, added } = await importBackup({
      statePath,
      file: backup,
      now,
      onProgress: progress.show,
      stop,
    })
    progress.end()
    context.stdout(`${rows} rows read, ${added} usage rows added.\n`)
  })
}

/** The store that the command names, else the one of the configuration; null without either. Throws ConfigError. */
function storeOf(options: ParsedOptions, context: CliContext): string | null {
  return (
    pathIn(context, options.stateDb) ??
    resolveConfig(configInput(options, context)).config.history.stateDb
  )
}

/** The parser takes a dash alone for the beginning of a flag and drops it. */
function hasDash({ argv }: CliContext): boolean {
  return argv.includes(PIPE)
}

/** Relative paths start at the working directory; null when none was given. */
function pathIn(context: CliContext, given: unknown): string | null {
  const path = [given].flat().at(-1)
  if (typeof path === 'number') return join(context.cwd, String(path))
  if (typeof path !== 'string' || path === '') return null
  return isAbsolute(path) || path === PIPE ? path : join(context.cwd, path)
}

/** Failures with a name of their own, and those of files and pipes, are one line; a signal ends the work cleanly. */
async function reportErrorsOf(
  context: CliContext,
  work: (stop: AbortSignal) => Promise<void>,
): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onSignal(signal, () => stop.abort())
  try {
    await work(stop.signal)
    return EXIT.ok
  } catch (error) {
    const message = messageOf(error)
    if (message === null) throw error
    context.stderr(`svc-quota-monitor: ${message}\n`)
    return EXIT.failed
  }
}

function messageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if (isStoreError(error)) return storeErrorText(error)
  if (error.name === 'BackupError' || error.name === 'InputError') return error.message
  if (!('syscall' in error && 'code' in error)) return null
  return error.code === 'ENOSPC'
    ? 'there is no space left to write to'
    : `reading or writing failed (${String(error.code)})`
}
