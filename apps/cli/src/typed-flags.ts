import { flagOf, nearestWord, settings } from '@svc/config'
import type { CommandPlan } from './command-table.ts'

/**
 * The mistake in the typed flags, as one line; null without one. The parser is no help here: it also takes `--stateDb` and `--no-demo`, and a
 * mistyped switch would start the service against the real proxy.
 */
export function flagMistake(argv: readonly string[], plan: CommandPlan): string | null {
  const known = flagsOf(plan)
  for (let at = 0; at < argv.length; at += 1) {
    const [, name = '', value] = /^(-[^=]+)(?:=(.*))?$/s.exec(argv[at] ?? '') ?? []
    if (name === '') continue
    const takes = known.get(name)
    if (takes === undefined) return unknownFlag(name, [...known.keys()])
    if (takes === '' && value !== undefined) return `${name} takes no value`
    if (takes === '') continue
    if (value === '' || (value === undefined && !isValue(argv[at + 1])))
      return `${name} needs a value: ${name} ${takes}`
    if (value === undefined) at += 1
  }
  return null
}

/** A lone dash stands for standard input or output, so it is a value. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (word === '-' || !word.startsWith('-'))
}

/** Placeholder of each flag's value, such as `<path>`; empty for a switch. */
function flagsOf({ options, takesSettings }: CommandPlan): ReadonlyMap<string, string> {
  const own = options.map(([flag]): [string, string] => {
    const [name = '', takes = ''] = flag.split(' ')
    return [name, takes]
  })
  const common: [string, string][] = [
    ['-h', ''],
    ['--help', ''],
  ]
  if (takesSettings) common.push(['-v', ''], ['--version', ''], ['--config', '<path|off>'])
  const set = takesSettings
    ? settings.map((setting): [string, string] => [`--${flagOf(setting)}`, setting.placeholder])
    : []
  return new Map([...own, ...common, ...set])
}

function unknownFlag(name: string, known: readonly string[]): string {
  const near = nearestWord(name, known)
  return `unknown flag ${name.replace(/\p{Cc}+/gu, ' ')}: ${near === null ? '--help lists the flags' : `did you mean ${near}?`}`
}
