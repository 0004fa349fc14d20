import { configText, describeConfig, resolveConfig } from '@svc/config'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../program/flags.ts'
import { printed } from '../program/outcome.ts'

/** Prints the resolved configuration. Throws ConfigError. */
export function printConfig(options: ParsedOptions, context: CliContext): number {
  const resolved = resolveConfig(configInput(options, context))
  const rows = describeConfig(resolved).filter(
    ({ source }) => !isOn(options.diff) || source !== 'default',
  )
  const settings = Object.fromEntries(
    rows.map(({ key, value, source }) => [key, { value, source }]),
  )
  const shown = rows.length === 0 ? 'every setting is as by default\n' : configText(rows)
  const text = () => `config file: ${resolved.file ?? 'none'}\n\n${shown}`
  return printed(
    { exit: EXIT.ok, document: { file: resolved.file, settings }, text },
    options,
    context,
  )
}
