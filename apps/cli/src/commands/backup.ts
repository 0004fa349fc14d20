import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { epochMs, instantToIso } from '@svc/core'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import type { ParsedOptions } from '../program/flags.ts'
import { progressLine, runLongTask } from '../program/progress-line.ts'
import { isDatabase, PIPE, pathIn, type StoreLocation, storeOf } from '../program/store-location.ts'

/** Thrown if reading the input was stopped before its end. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/**
 * Copies the input to a temporary file that can be read twice, and resolves with its descriptor. The file is unlinked at once, so nothing remains
 * however the process ends. Rejects with InputError if interrupted, and with file system errors.
 */
export async function spooledInput(
  input: Readable,
  besides: string,
  stop: AbortSignal,
): Promise<number> {
  const path = `${besides}.${process.pid}.input`
  const file = openSync(path, 'wx+', 0o600)
  rmSync(path)
  const end = () => void input.destroy(new InputError('interrupted: nothing was imported'))
  stop.addEventListener('abort', end)
  try {
    for await (const chunk of input as AsyncIterable<Uint8Array>) {
      for (let written = 0; written < chunk.byteLength; ) written += writeSync(file, chunk, written)
    }
    return file
  } catch (error) {
    closeSync(file)
    throw error
  } finally {
    stop.removeEventListener('abort', end)
  }
}

/** Writes a backup of a store to a new file, or to standard output. Resolves with the exit code; throws ConfigError. */
export async function exportHistory(options: ParsedOptions, context: CliContext): Promise<number> {
  const store = storeOf(options, context)
  const output = pathIn(context, options.output?.at(-1))
  if (store === null || output === null) {
    return usageError(
      context,
      'export-history needs --state-db <path|address> (or state_db in the configuration) and --output <file>',
    )
  }
  const { exportBackup } = await import('@svc/history')
  const progress = progressLine(context, 'exported')
  return await runLongTask(context, async (stop) => {
    const exportedAt = instantToIso(context.clock.now())
    const rows = await exportBackup({
      statePath: store.location,
      passwordFile: store.passwordFile,
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
    return EXIT.ok
  })
}

/** Adds a backup, from a file or from standard input, to a store. Resolves with the exit code; throws ConfigError. */
export async function importHistory(
  options: ParsedOptions,
  context: CliContext,
  file?: string,
): Promise<number> {
  const store = storeOf(options, context)
  const path = pathIn(context, file)
  if (store === null || path === null) {
    return usageError(
      context,
      'import-history needs --state-db <path|address> (or state_db in the configuration) and a <file>',
    )
  }
  const { importBackup } = await import('@svc/history')
  const progress = progressLine(context, 'imported')
  return await runLongTask(context, async (stop) => {
    const now = epochMs(context.clock.now())
    const backup = path === PIPE ? await spooledInput(context.stdin(), besides(store), stop) : path
    const { rows, added } = await importBackup({
      statePath: store.location,
      passwordFile: store.passwordFile,
      file: backup,
      now,
      onProgress: progress.show,
      stop,
    })
    progress.end()
    context.stdout(`${rows} rows read, ${added} usage rows added.\n`)
    return EXIT.ok
  })
}

/** Path prefix for the spooled standard input of an import: next to a store file, or in the temporary folder for a database. */
function besides(store: StoreLocation): string {
  return isDatabase(store) ? join(tmpdir(), 'svc-quota-monitor') : store.location
}
