import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { RecorderName } from '@svc/collector'
import { epochMs, instantToIso } from '@svc/core'
import { UPSTREAM_NAME } from '@svc/core/service'
import type { ImportedRecords } from '@svc/history'
import { printable } from '@svc/views/format'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { choiceOf, type ParsedOptions, wrongValue } from '../program/flags.ts'
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

/** Adds a backup, or the records of another program, from a file or from standard input, to a store. Resolves with the exit code; throws ConfigError. */
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
  const upstream = options.upstream?.at(-1)
  if (upstream !== undefined && !UPSTREAM_NAME.test(upstream))
    throw wrongValue('--upstream takes a name of up to 32 lower-case letters, digits and dashes')
  if (upstream !== undefined && options.from === undefined)
    throw wrongValue('--upstream goes with --from')
  const recorder = options.from === undefined ? null : await recorderNamed(options.from)
  const { importBackup, importRecords } = await import('@svc/history')
  const progress = progressLine(context, 'imported')
  return await runLongTask(context, async (stop) => {
    const now = epochMs(context.clock.now())
    const file = path === PIPE ? await spooledInput(context.stdin(), besides(store), stop) : path
    const { location: statePath, passwordFile } = store
    const given = { statePath, passwordFile, file, now, onProgress: progress.show, stop }
    if (recorder !== null) {
      const report = await importRecords({ ...given, ...recorder, upstream: upstream ?? null })
      progress.end()
      context.stdout(recordsText(report))
      return EXIT.ok
    }
    const { rows, added } = await importBackup(given)
    progress.end()
    context.stdout(`${rows} rows read, ${added} usage rows added.\n`)
    return EXIT.ok
  })
}

/** The recorder that a flag names. Throws ConfigError. */
async function recorderNamed(values: readonly string[]) {
  const { recorders } = await import('@svc/collector')
  const program = choiceOf('--from', values, Object.keys(recorders) as RecorderName[])
  return { program, recorder: recorders[program] }
}

/** Reasons why a record is refused. */
const REFUSED: Readonly<Record<ImportedRecords['refused'][number]['reason'], string>> = {
  no_timestamp: 'no time',
  bad_timestamp: 'a time that cannot be',
  bad_tokens: 'a number of tokens that cannot be',
  bad_shape: 'not a record',
  bad_name: 'a name that cannot be stored',
}

/** Report of an import from another program. It has counts and places, and no value of the file but names of tables. */
export function recordsText(report: ImportedRecords): string {
  const { read, taken, known, refused, unknownAccounts, inGaps, leftOut } = report
  const refusedCount = refused.reduce((sum, { count }) => sum + count, 0)
  const lines = [
    `${read} records read: ${taken} taken, ${known} known before, ${refusedCount} refused.`,
    ...refused.map(({ reason, count, first }) => {
      const place = first === null ? '' : `, first at ${first}`
      return `refused: ${count} with ${REFUSED[reason]}${place}`
    }),
    ...(inGaps > 0 ? [`in gaps of the store: ${inGaps} of those taken fill them`] : []),
    ...(unknownAccounts > 0
      ? [`of accounts that the store does not know: ${unknownAccounts} of those taken, as "other"`]
      : []),
    ...leftOut.map(([table, rows]) => `left out: ${rows} rows of ${printable(table)}`),
  ]
  return `${lines.join('\n')}\n`
}

/** Path prefix for the spooled standard input of an import: next to a store file, or in the temporary folder for a database. */
function besides(store: StoreLocation): string {
  return isDatabase(store) ? join(tmpdir(), 'svc-quota-monitor') : store.location
}
