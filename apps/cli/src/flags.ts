import { type ConfigInput, flagOf, settings } from '@svc/config'
import type { CliContext } from './cli-context.ts'

/** Options as the parser hands them over: numbers and repeats not yet undone. */
export type ParsedOptions = Readonly<Record<string, unknown>>

/** What the configuration is resolved from, given the parsed options of a command. */
export function configInput(options: ParsedOptions, context: CliContext): ConfigInput {
  const given = settings.flatMap((setting) => {
    const value = options[camelCase(flagOf(setting))]
    return value === undefined ? [] : [[flagOf(setting), asText(value, setting.repeatable === true)] as const]
  })
  return {
    flags: Object.fromEntries(given),
    configFlag: options.config === undefined ? null : String(asText(options.config, false)),
    env: context.env,
    cwd: context.cwd,
    homeDir: context.homeDir,
    hostTimeZone: context.hostTimeZone,
    demo: options.demo === true,
    readTextFile: context.readTextFile,
  }
}

/** The parser turns digits into numbers and a repeated flag into a list; of a flag that may not repeat the last one counts. */
function asText(value: unknown, repeatable: boolean): string | readonly string[] {
  const texts = (Array.isArray(value) ? value : [value]).map(String)
  return repeatable ? texts : (texts.at(-1) ?? '')
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())
}
