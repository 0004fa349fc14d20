import { type ConfigInput, flagOf, settings } from '@svc/config'
import type { CliContext } from './cli-context.ts'

/** Options as returned by the parser: digits as numbers, a repeated flag as a list. */
export type ParsedOptions = Readonly<Record<string, unknown>>

/** Input for resolving the configuration, from the parsed options of a command. */
export function configInput(options: ParsedOptions, context: CliContext): ConfigInput {
  const given = settings.flatMap((setting) => {
    const flag = flagOf(setting)
    if (options[camelCase(flag)] === undefined) return []
    const texts = textsOf(flag, context)
    return [[flag, setting.repeatable === true ? texts.join(',') : (texts.at(-1) ?? '')] as const]
  })
  return {
    flags: Object.fromEntries(given),
    configFlag: options.config === undefined ? null : (textsOf('config', context).at(-1) ?? ''),
    env: context.env,
    cwd: context.cwd,
    homeDir: context.homeDir,
    hostTimeZone: context.hostTimeZone,
    demo: isOn(options.demo),
    readTextFile: context.readTextFile,
  }
}

/** Joins a lone dash to the flag whose value it is, because the parser takes a lone dash for the start of another flag. */
export function withJoinedDashes(argv: readonly string[]): readonly string[] {
  return argv.flatMap((argument, index) => {
    if (argument === '-' && argv[index - 1] === '--output') return []
    return argument === '--output' && argv[index + 1] === '-' ? ['--output=-'] : [argument]
  })
}

/** Whether a switch is on. If it was given more than once, the last one counts. */
export function isOn(value: unknown): boolean {
  return [value].flat().at(-1) === true
}

/** Those of the flags that were given, each with its last text. */
export function textsGiven<Flag extends string>(
  flags: readonly Flag[],
  context: CliContext,
): Partial<Record<Flag, string>> {
  const given = flags.flatMap((flag) => textsOf(flag, context).map((text) => [flag, text]))
  return Object.fromEntries(given) as Partial<Record<Flag, string>>
}

/** Those of the flags that were given, each with its values; commas separate them, and a flag may repeat. */
export function listsGiven<Flag extends string>(
  flags: readonly Flag[],
  context: CliContext,
): Partial<Record<Flag, readonly string[]>> {
  const given = flags.map((flag) => [
    flag,
    textsOf(flag, context).flatMap((text) => text.split(',')),
  ])
  return Object.fromEntries(given.filter(([, values]) => values?.length !== 0)) as Partial<
    Record<Flag, readonly string[]>
  >
}

/** The values of a flag as typed: the parser keeps their order, but reads `007` as the number 7. */
function textsOf(flag: string, { argv }: CliContext): readonly string[] {
  return argv.flatMap((argument, index) => {
    const [, name = '', value = ''] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? []
    return name === flag ? [value || (argv[index + 1] ?? '')] : []
  })
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())
}
