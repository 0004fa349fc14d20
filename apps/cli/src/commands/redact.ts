import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { resolveConfig } from '@svc/config'
import { createCollectedValues, RedactError, type RedactOutcome, redactFiles } from '@svc/redact'
import { type CliContext, EXIT, usageError } from '../cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../flags.ts'
import { redactProgress } from '../redact/redact-progress.ts'
import { collectConfigured } from '../redact/secret-sources.ts'

/** Makes redacted copies of files and folders. Resolves with the exit code: failed when anything was refused. Throws ConfigError. */
export async function redact(given: readonly unknown[], options: ParsedOptions, context: CliContext): Promise<number> {
  const inside = (path: unknown) => resolve(context.cwd, String(path))
  const output = [options.output].flat().at(-1)
  const mapFile = [options.keepMap].flat().at(-1)
  if (given.length === 0 || output === undefined) return usageError(context, 'redact needs files or folders and --output <dir>')
  const { config } = resolveConfig(configInput(options, context))
  const map = mapFile === undefined ? null : reserve(inside(mapFile))
  if (map === 'exists') return failed(context, `${String(mapFile)} exists already: name a file that does not`)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onSignal(signal, () => stop.abort())
  const progress = redactProgress(context)
  try {
    const collected = createCollectedValues()
    await collectConfigured(config, context, collected, stop.signal)
    const outcome = await redactFiles({
      inputs: given.map(inside),
      output: inside(output),
      collected,
      keepMap: map !== null,
      stop: stop.signal,
      onProgress: progress.show,
    })
    progress.end()
    map?.write(outcome)
    report(outcome, isOn(options.json), context)
    return outcome.entries.some(({ status }) => status === 'refused') ? EXIT.failed : EXIT.ok
  } catch (error) {
    progress.end()
    map?.remove()
    if (stop.signal.aborted) return failed(context, 'stopped; copies that were not finished are gone')
    if (error instanceof RedactError) return failed(context, error.message)
    throw error
  }
}

function failed({ stderr }: CliContext, message: string): number {
  stderr(`svc-quota-monitor: ${message}\n`)
  return EXIT.failed
}

interface MapFile {
  write(outcome: RedactOutcome): void
  remove(): void
}

/** Makes the file of the map before the work begins, so that it cannot fail at its end. */
function reserve(path: string): MapFile | 'exists' {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return 'exists'
    throw new RedactError('the file of the map cannot be written')
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

function report({ entries, pseudonyms, knownValues, leftOut }: RedactOutcome, asJson: boolean, { stdout }: CliContext): void {
  const replaced = pseudonyms.counts()
  const ok = entries.every(({ status }) => status !== 'refused')
  if (asJson) {
    stdout(`${JSON.stringify({ ok, knownValues, knownValuesLeftOut: leftOut, replaced, files: entries }, null, 2)}\n`)
    return
  }
  for (const entry of entries) stdout(`${entry.status.padEnd(8)}  ${entry.file}${entry.status === 'redacted' ? '' : `: ${entry.why}`}\n`)
  const kinds = Object.entries(replaced).map(([kind, count]) => `${count} ${kind}`)
  if (leftOut > 0)
    stdout(`\n${leftOut} values were too many to be looked for in every spelling; they are replaced where their name or shape tells.\n`)
  stdout(
    `\n${kinds.length === 0 ? 'Nothing was replaced' : `Replaced: ${kinds.join(', ')}`}. Look through the copies before you hand them on.\n`,
  )
}
