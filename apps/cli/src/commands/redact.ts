import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { resolveConfig } from '@svc/config'
import { type CliContext, EXIT, usageError } from '../cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../flags.ts'
import { RedactError } from '../redact/redact-file.ts'
import { redactTree } from '../redact/redact-tree.ts'
import { secretsOf } from '../redact/secret-sources.ts'

/** Makes redacted copies of files and folders. Resolves with the exit code: failed when anything was refused. Throws ConfigError. */
export async function redact(given: readonly unknown[], options: ParsedOptions, context: CliContext): Promise<number> {
  const inside = (path: unknown) => resolve(context.cwd, String(path))
  const failed = (message: string) => {
    context.stderr(`svc-quota-monitor: ${message}
`)
    return EXIT.failed
  }
  const output = [options.output].flat().at(-1)
  const mapFile = [options.keepMap].flat().at(-1)
  if (given.length === 0 || output === undefined) return usageError(context, 'redact needs files or folders and --output <dir>')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onSignal(signal, () => stop.abort())
  try {
    const secrets = await secretsOf(resolveConfig(configInput(options, context)).config)
    const keepMap = mapFile !== undefined
    const { entries, pseudonyms } = await redactTree({
      inputs: given.map(inside),
      output: inside(output),
      secrets,
      keepMap,
      stop: stop.signal,
    })
    if (keepMap)
      writeFileSync(inside(mapFile), `${JSON.stringify(Object.fromEntries(pseudonyms.map()), null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    const refused = entries.filter(({ status }) => status === 'refused')
    const replaced = pseudonyms.counts()
    if (isOn(options.json))
      context.stdout(`${JSON.stringify({ ok: refused.length === 0, knownValues: secrets.size, replaced, files: entries }, null, 2)}\n`)
    else {
      for (const entry of entries)
        context.stdout(`${entry.status.padEnd(8)}  ${entry.file}${entry.status === 'redacted' ? '' : `: ${entry.why}`}\n`)
      const kinds = Object.entries(replaced).map(([kind, count]) => `${count} ${kind}`)
      context.stdout(
        `\n${kinds.length === 0 ? 'Nothing was replaced' : `Replaced: ${kinds.join(', ')}`}. Look through the copies before you hand them on.\n`,
      )
    }
    return refused.length === 0 ? EXIT.ok : EXIT.failed
  } catch (error) {
    if (stop.signal.aborted) return failed('stopped; copies that were not finished are gone')
    if (error instanceof RedactError) return failed(error.message)
    throw error
  }
}
