import { configText, describeConfig, resolveConfig } from '@svc/config'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../program/flags.ts'

/** Prints the resolved configuration. Throws ConfigError. */
export function printConfig(options: ParsedOptions, context: CliContext): number {
  const resolved = resolveConfig(configInput(options, context))
  const rows = describeConfig(resolved).filter(
    ({ source }) => !isOn(options.diff) || source !== 'default',
  )
  if (isOn(options.json)) {
    const settings = Object.fromEntries(
      rows.map(({ key, value, source }) => [key, { value, source }]),
    )
    context.stdout(`${JSON.stringify({ file: resolved.file, settings }, null, 2)}\n`)
  } else {
    const text = rows.length === 0 ? 'every setting is as by default\n' : configText(rows)
    context.stdout(`config file: ${resolved.file ?? 'none'}\n\n${text}`)
  }
  return EXIT.ok
}
