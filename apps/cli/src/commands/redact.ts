import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { resolveConfig } from '@svc/config'
import { errorCodeOf } from '@svc/core/service'
import { createCollectedValues, RedactError, type RedactOutcome, redactFiles } from '@svc/redact'
import { printable } from '@svc/views/format'
import { type CliContext, EXIT, failure, usageError } from '../program/cli-context.ts'
import { configInput, type ParsedOptions } from '../program/flags.ts'
import { type Outcome, printed } from '../program/outcome.ts'
import { redactProgress } from '../program/progress-line.ts'
import { collectConfigured, leftOutLines } from '../redact/secret-sources.ts'

/** Makes redacted copies of files and folders. Resolves with the exit code: failed if any file was refused. Throws ConfigError. */
export async function redact(
  options: ParsedOptions,
  context: CliContext,
  ...files: readonly string[]
): Promise<number> {
  const inside = (path: string) => resolve(context.cwd, path)
  const output = options.output?.at(-1)
  const mapFile = options.keepMap?.at(-1)
  if (files.length === 0 || output === undefined)
    return usageError(context, 'redact needs files or folders and --output <dir>')
  const { config } = resolveConfig(configInput(options, context))
  const map = mapFile === undefined ? null : reserve(inside(mapFile))
  if (typeof map === 'string') return failure(context, `${mapFile} ${map}`)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onSignal(signal, () => stop.abort())
  const progress = redactProgress(context)
  try {
    const collected = createCollectedValues()
    const notRead = await collectConfigured(config, context.env, collected, stop.signal)
    const outcome = await redactFiles({
      inputs: files.map(inside),
      output: inside(output),
      collected,
      keepMap: map !== null,
      temporaryFolder: tmpdir(),
      stop: stop.signal,
      onProgress: progress.show,
    })
    progress.end()
    map?.write(outcome)
    for (const problem of notRead) failure(context, problem)
    return printed(reportOf(outcome, notRead), options, context)
  } catch (error) {
    progress.end()
    map?.remove()
    if (stop.signal.aborted)
      return failure(context, 'stopped; copies that were not finished are gone')
    if (error instanceof RedactError) return failure(context, error.message)
    throw error
  }
}

interface MapFile {
  write(outcome: RedactOutcome): void
  remove(): void
}

/** Creates the map's file before the work begins, so that this cannot fail at the end. Returns the reason as text if the file cannot be created. */
function reserve(path: string): MapFile | string {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    const code = errorCodeOf(error)
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

/** The report as text, JSON and exit code, which is a failure unless every file was copied and every known value was searched for. */
function reportOf(
  { entries, pseudonyms, knownValues, leftOut }: RedactOutcome,
  notRead: readonly string[],
): Outcome {
  const replaced = pseudonyms.counts()
  const ok =
    entries.every(({ status }) => status !== 'refused') && notRead.length === 0 && leftOut === 0
  const files = entries.map(
    (entry) =>
      `${entry.status.padEnd(8)}  ${printable(entry.file)}${entry.status === 'redacted' ? '' : `: ${entry.why}`}\n`,
  )
  const kinds = Object.entries(replaced).map(([kind, count]) => `${count} ${kind}`)
  const what = kinds.length === 0 ? 'Nothing was replaced' : `Replaced: ${kinds.join(', ')}`
  const end = `${what}. Look through the copies before you hand them on.`
  return {
    exit: ok ? EXIT.ok : EXIT.failed,
    document: { ok, knownValues, knownValuesLeftOut: leftOut, notRead, replaced, files: entries },
    text: () =>
      files.join('') + [...leftOutLines(leftOut), end].map((line) => `\n${line}\n`).join(''),
  }
}
