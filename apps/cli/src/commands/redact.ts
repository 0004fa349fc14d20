import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { resolveConfig } from '@svc/config'
import { createCollectedValues, RedactError, type RedactOutcome, redactFiles } from '@svc/redact'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../program/flags.ts'
import { leftOutLines } from '../redact/left-out.ts'
import { printable } from '../redact/printable.ts'
import { redactProgress } from '../redact/redact-progress.ts'
import { collectConfigured } from '../redact/secret-sources.ts'

/** Makes redacted copies of files and folders. Resolves with the exit code: failed if any file was refused. Throws ConfigError. */
export async function redact(
  options: ParsedOptions,
  context: CliContext,
  files: unknown,
): Promise<number> {
  const given: readonly unknown[] = [files].flat()
  const inside = (path: unknown) => resolve(context.cwd, String(path))
  const output = [options.output].flat().at(-1)
  const mapFile = [options.keepMap].flat().at(-1)
  if (given.length === 0 || output === undefined)
    return usageError(context, 'redact needs files or folders and --output <dir>')
  const { config } = resolveConfig(configInput(options, context))
  const map = mapFile === undefined ? null : reserve(inside(mapFile))
  if (typeof map === 'string') return fail(context, `${String(mapFile)} ${map}`)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onSignal(signal, () => stop.abort())
  const progress = redactProgress(context)
  try {
    const collected = createCollectedValues()
    const notRead = await collectConfigured(config, context.env, collected, stop.signal)
    const outcome = await redactFiles({
      inputs: given.map(inside),
      output: inside(output),
      collected,
      keepMap: map !== null,
      temporaryFolder: tmpdir(),
      stop: stop.signal,
      onProgress: progress.show,
    })
    progress.end()
    map?.write(outcome)
    return report(outcome, notRead, isOn(options.json), context) ? EXIT.ok : EXIT.failed
  } catch (error) {
    progress.end()
    map?.remove()
    if (stop.signal.aborted) return fail(context, 'stopped; copies that were not finished are gone')
    if (error instanceof RedactError) return fail(context, error.message)
    throw error
  }
}

function fail({ stderr }: CliContext, message: string): number {
  stderr(`svc-quota-monitor: ${message}\n`)
  return EXIT.failed
}

interface MapFile {
  write(outcome: RedactOutcome): void
  remove(): void
}

/** Creates the map's file before the work begins, so that this cannot fail at the end; a text is the reason it cannot be created. */
function reserve(path: string): MapFile | string {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return code === 'EEXIST'
      ? 'exists already: name a file that does not'
      : `cannot be written (${code}): name a file in a folder that exists`
  }
  return {
    write({ pseudonyms }) {
      writeSync(file, `${JSON.stringify(Object.fromEntries(pseudonyms.map()), null, 2)}\n`)
      closeSync(file)
    },
    remove() {
      closeSync(file)
      rmSync(path, { force: true })
    },
  }
}

/** Reports the outcome; true if every file was copied and every known value was searched for. */
function report(
  { entries, pseudonyms, knownValues, leftOut }: RedactOutcome,
  notRead: readonly string[],
  asJson: boolean,
  { stdout, stderr }: CliContext,
): boolean {
  const replaced = pseudonyms.counts()
  const ok =
    entries.every(({ status }) => status !== 'refused') &&
    notRead.length === 0 &&
    leftOut.named === 0
  for (const problem of notRead) stderr(`svc-quota-monitor: ${problem}\n`)
  if (asJson) {
    stdout(
      `${JSON.stringify({ ok, knownValues, knownValuesLeftOut: leftOut.named + leftOut.byShape, notRead, replaced, files: entries }, null, 2)}\n`,
    )
    return ok
  }
  for (const entry of entries)
    stdout(
      `${entry.status.padEnd(8)}  ${printable(entry.file)}${entry.status === 'redacted' ? '' : `: ${entry.why}`}\n`,
    )
  for (const line of leftOutLines(leftOut)) stdout(`\n${line}\n`)
  const kinds = Object.entries(replaced).map(([kind, count]) => `${count} ${kind}`)
  stdout(
    `\n${kinds.length === 0 ? 'Nothing was replaced' : `Replaced: ${kinds.join(', ')}`}. Look through the copies before you hand them on.\n`,
  )
  return ok
}
