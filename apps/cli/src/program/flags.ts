import { ConfigError, type ConfigInput, flagOf, nearestWord, settings } from '@svc/config'
import type { CliContext } from './cli-context.ts'

/** The values of each given flag, as typed; an empty list for a switch. Names are in camel case. */
export type ParsedOptions = Readonly<Record<string, readonly string[] | undefined>>

/** A flag as it was given; `joined` if its value followed an equals sign. */
interface GivenFlag {
  readonly name: string
  readonly value: string | undefined
  readonly joined: string | undefined
}

/** The words and flags of a command line. */
export interface CommandLine {
  readonly words: readonly string[]
  readonly flags: readonly GivenFlag[]
}

/** Takes a command line apart. `switches`: the flags without a value. */
export function commandLineOf(argv: readonly string[], switches: ReadonlySet<string>): CommandLine {
  const words: string[] = []
  const flags: GivenFlag[] = []
  const rest = [...argv]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name, joined] = /^(-[^=]+)(?:=(.*))?$/s.exec(word) ?? []
    if (name === undefined) words.push(word)
    else {
      const value = joined ?? (!switches.has(name) && isValue(rest[0]) ? rest.shift() : undefined)
      flags.push({ name, value, joined })
    }
  }
  return { words, flags }
}

/**
 * Converts flags to the options of a command. `known`: the placeholder of each flag's value, such as `<path>`; empty for a switch. `mistake`: the
 * first mistake, as one line; null if there is none.
 */
export function optionsOf(
  flags: readonly GivenFlag[],
  known: ReadonlyMap<string, string>,
): { readonly options: ParsedOptions; readonly mistake: string | null } {
  const options: Record<string, readonly string[]> = {}
  let mistake: string | null = null
  for (const { name, value, joined } of flags) {
    const takes = known.get(name)
    if (takes === undefined) mistake ??= unknownFlag(name, [...known.keys()])
    else if (takes === '' && joined !== undefined) mistake ??= `${name} takes no value`
    else if (takes !== '' && (value === undefined || joined === ''))
      mistake ??= `${name} needs a value: ${name} ${takes}`
    else options[camelCase(name)] = [...(options[camelCase(name)] ?? []), ...[value ?? []].flat()]
  }
  return { options, mistake }
}

/** Whether a word is a value. A single dash is a value, because it stands for standard input or output. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (word === '-' || !word.startsWith('-'))
}

function unknownFlag(name: string, known: readonly string[]): string {
  const near = nearestWord(name, known)
  return `unknown flag ${name.replace(/\p{Cc}+/gu, ' ')}: ${near === null ? '--help lists the flags' : `did you mean ${near}?`}`
}

function camelCase(flag: string): string {
  return flag.replace(/^-+/, '').replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())
}

/** Input for resolving the configuration, from the parsed options of a command. */
export function configInput(options: ParsedOptions, context: CliContext): ConfigInput {
  const given = settings.flatMap((setting) => {
    const flag = flagOf(setting)
    const values = options[camelCase(flag)]
    if (values === undefined) return []
    return [[flag, setting.repeatable === true ? values.join(',') : (values.at(-1) ?? '')] as const]
  })
  return {
    flags: Object.fromEntries(given),
    configFlag: options.config?.at(-1) ?? null,
    env: context.env,
    cwd: context.cwd,
    homeDir: context.homeDir,
    hostTimeZone: context.hostTimeZone,
    demo: isOn(options.demo),
    readTextFile: context.readTextFile,
  }
}

export function isOn(values: ParsedOptions[string]): boolean {
  return values !== undefined
}

/** The values of a flag that takes a list; undefined if it was not given. */
export function listOf(values: ParsedOptions[string]): readonly string[] | undefined {
  return values?.flatMap((value) => value.split(','))
}

/** The given choice, or by default the first one. Throws ConfigError. */
export function choiceOf<Choice extends string>(
  flag: string,
  values: ParsedOptions[string],
  choices: readonly Choice[],
): Choice {
  const choice = values === undefined ? choices[0] : choices.find((one) => one === values.at(-1))
  if (choice === undefined) throw wrongValue(`${flag}: one of ${choices.join(', ')} is needed`)
  return choice
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of a duration such as 500ms, 5s, 10m or 1h; undefined if it was not given. Throws ConfigError. */
export function durationMs(flag: string, values: ParsedOptions[string]): number | undefined {
  if (values === undefined) return undefined
  const [, count, unit = ''] = /^(\d{1,6})(ms|s|m|h)$/.exec(values.at(-1) ?? '') ?? []
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  if (ms > 0) return ms
  throw wrongValue(`${flag}: a duration as 500ms, 5s, 10m or 1h is needed`)
}

/** The error for an invalid value of a flag. */
export function wrongValue(message: string): ConfigError {
  return new ConfigError({ code: 'invalid_value', message })
}
