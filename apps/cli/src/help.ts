import { flagOf, headingOf, nearestWord, type Setting, settings } from '@svc/config'
import { type CommandName, commandTable, isCommand, planOf } from './command-table.ts'
import { type CliContext, EXIT, usageError } from './program/cli-context.ts'
import type { ParsedOptions } from './program/flags.ts'

const WIDTH = 100
const INDENT = 34

/** Prints the help of the program or of the command that is asked for. */
export async function help(_: ParsedOptions, context: CliContext, asked: unknown): Promise<number> {
  const name = String(asked ?? '')
  if (!isCommand(name)) return usageError(context, unknownCommand(name))
  context.stdout(await helpText(context.version, name))
  return EXIT.ok
}

/** The mistake in a command line whose command does not exist. */
export function unknownCommand(word: string): string {
  const near = nearestWord(
    word,
    commandTable.map(({ name }) => name).filter((name) => name !== ''),
  )
  return `unknown command ${JSON.stringify(word)}: ${near === null ? '--help lists the commands' : `did you mean ${near}?`}`
}

/** What `--help` prints for the program or one of its commands; a command's own options come first. */
export async function helpText(version: string, asked: CommandName): Promise<string> {
  const { takes, summary, options, takesSettings } = planOf(asked)
  const head =
    asked === ''
      ? programHead(version)
      : `svc-quota-monitor ${[asked, takes.replace(/^\[\.\.\.(.*)\]$/, '<$1...>')].join(' ').trim()} [options]\n${summary}\n`
  const own = options.map(([flag, help]) => row(flag, help)).join('')
  const common = takesSettings
    ? row('--config <path|off>', 'Configuration file (TOML); off reads none.')
    : ''
  const ends = `${row('-h, --help', 'Print this text.')}${takesSettings ? row('-v, --version', 'Print the version.') : ''}`
  const artifacts = asked === 'init' ? `\nArtifacts\n${await artifactRows()}` : ''
  return `${head}\nOptions\n${own}${common}${ends}${artifacts}${takesSettings ? `\n${settingsText()}` : ''}${asked === '' ? EXIT_CODES : ''}`
}

function programHead(version: string): string {
  return `svc-quota-monitor ${version}
Watches the quota of a pool of accounts behind CLIProxyAPI and says which one to use next.

Usage
  svc-quota-monitor [command] [options]        (sqm is the same program)

Commands
${commandTable.map(({ name, summary }) => row(name === '' ? '(none)' : name, summary)).join('')}${row('<command> --help', 'What one of them takes.')}`
}

/** Loaded only here: no other help needs the templates. */
async function artifactRows(): Promise<string> {
  const { artifacts } = await import('@svc/deploy')
  return artifacts.map(({ id, file, what }) => row(id, `${file}: ${what}`)).join('')
}

function settingsText(): string {
  const headings = [...new Set(settings.map(headingOf))]
  const rowsOf = (heading: string) =>
    settings.filter((setting) => headingOf(setting) === heading).map(settingHelp)
  return `${headings.map((heading) => `${heading}\n${rowsOf(heading).join('')}`).join('\n')}\n${SETTINGS_NOTE}`
}

const EXIT_CODES = `
Exit codes: 0 it went well, 1 what was asked for failed (for doctor: a check failed), 2 a mistake in
the command line or the configuration.
`

const SETTINGS_NOTE = `Every setting is also an environment variable (--log-level is SVC_QUOTA_MONITOR_LOG_LEVEL) and a key
of the configuration file (log_level). Flags win over the environment, the environment over the
file. The management key itself is taken from its file or from SVC_QUOTA_MONITOR_MANAGEMENT_KEY,
never from a flag.
`

function settingHelp(setting: Setting): string {
  const fallback = setting.fallbackText ?? String(setting.fallback ?? 'none')
  return row(`--${flagOf(setting)} ${setting.placeholder}`, `${setting.help} [${fallback}]`)
}

/** Two columns; the second is wrapped, and starts on a line of its own where the first is too long. */
function row(term: string, text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH - INDENT) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  lines.push(line)
  const head = `  ${term}`
  const first =
    head.length < INDENT ? `${head.padEnd(INDENT)}${lines.shift() ?? ''}\n` : `${head}\n`
  return first + lines.map((rest) => `${' '.repeat(INDENT)}${rest}\n`).join('')
}
