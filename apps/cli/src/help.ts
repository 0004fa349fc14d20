import {
  flagOf,
  headingOf,
  languageGiven,
  nearestWord,
  type Setting,
  type SettingHeading,
  type SettingKey,
  settings,
} from '@svc/config'
import { languageOf } from '@svc/views/language'
import {
  type CommandName,
  type CommandPlan,
  commandNames,
  commandTable,
  isCommand,
} from './command-table.ts'
import { englishHelpWords, type HelpWords } from './help-words.ts'
import { type CliContext, EXIT, usageError } from './program/cli-context.ts'
import { configInput, type ParsedOptions } from './program/flags.ts'
import { columnsOf, hanging, padded } from './program/text-columns.ts'

/** Prints the help of the program or of the given command. */
export async function help(
  options: ParsedOptions,
  context: CliContext,
  name = '',
): Promise<number> {
  if (!isCommand(name)) return usageError(context, unknownCommand(name))
  context.stdout(await helpText(context.version, name, await helpWordsFor(options, context)))
  return EXIT.ok
}

/** Error message for an unknown command. */
export function unknownCommand(word: string): string {
  const near = nearestWord(
    word,
    commandNames.filter((name) => name !== ''),
  )
  return `unknown command ${JSON.stringify(word)}: ${near === null ? '--help lists the commands' : `did you mean ${near}?`}`
}

/** Help words in the language of `display_language`, given as a flag, in the environment or in the configuration file. */
export async function helpWordsFor(
  options: ParsedOptions,
  context: CliContext,
): Promise<HelpWords> {
  const language = languageOf(languageGiven(configInput(options, context)))
  if (language === 'en') return englishHelpWords
  return (await import('./chinese-help-words.ts')).chineseHelpWords
}

/** Output of `--help` for the program or one of its commands; a command's own options come first. */
export async function helpText(
  version: string,
  asked: CommandName,
  words: HelpWords = englishHelpWords,
): Promise<string> {
  const { takes = '', summary, options, takesSettings = false }: CommandPlan = commandTable[asked]
  const translated = words.tables?.commands[asked]
  const head =
    asked === ''
      ? programHead(version, words)
      : `svc-quota-monitor ${[asked, takes.replace(/^\[\.\.\.(.*)\]$/, '<$1...>')].join(' ').trim()} [options]\n${translated?.summary ?? summary}\n`
  const own = Object.entries(options)
    .map(([flag, help]) => helpRow(flag, translated?.[flag] ?? help))
    .join('')
  const common = takesSettings ? helpRow('--config <path|off>', words.configOption) : ''
  const ends = `${helpRow('-h, --help', words.helpOption)}${takesSettings ? helpRow('-v, --version', words.versionOption) : ''}`
  const artifacts = asked === 'init' ? `\n${words.artifacts}\n${await artifactRows(words)}` : ''
  return `${head}\n${words.options}\n${own}${common}${ends}${artifacts}${takesSettings ? `\n${settingsText(words)}` : ''}${asked === '' ? `\n${words.exitCodes}` : ''}`
}

function programHead(version: string, words: HelpWords): string {
  const commands = commandNames.map((name) =>
    helpRow(
      name || words.noName,
      words.tables?.commands[name].summary ?? commandTable[name].summary,
    ),
  )
  return `svc-quota-monitor ${version}
${words.about}

${words.usage}
  svc-quota-monitor [command] [options]        ${words.sameProgram}

${words.commands}
${commands.join('')}${helpRow('<command> --help', words.takesOfOne)}`
}

/** Imports the templates lazily, because no other help needs them. */
async function artifactRows(words: HelpWords): Promise<string> {
  const { artifacts } = await import('@svc/deploy')
  return artifacts
    .map(({ id, file, what }) => helpRow(id, `${file}: ${words.tables?.artifacts[id] ?? what}`))
    .join('')
}

function settingsText(words: HelpWords): string {
  const headings = [...new Set(settings.map(headingOf))]
  const rowsOf = (heading: SettingHeading) =>
    settings
      .filter((setting) => headingOf(setting) === heading)
      .map((setting) => settingHelp(setting, words))
  return `${headings.map((heading) => `${words.tables?.headings[heading] ?? heading}\n${rowsOf(heading).join('')}`).join('\n')}\n${words.settingsNote}`
}

function settingHelp(setting: Setting<SettingKey>, words: HelpWords): string {
  const fallback = setting.fallbackText ?? String(setting.fallback ?? 'none')
  return helpRow(
    `--${flagOf(setting)} ${setting.placeholder}`,
    `${words.tables?.settings[setting.key] ?? setting.help} [${words.tables?.fallbacks[fallback] ?? fallback}]`,
  )
}

const WIDTH = 100
const INDENT = 34

/** Two columns; the second is wrapped, and starts on a new line if the first is too long. */
export function helpRow(term: string, text: string): string {
  const head = `  ${term}`
  const isLong = columnsOf(head) >= INDENT
  const indent = padded(isLong ? '' : head, INDENT)
  return `${isLong ? `${head}\n` : ''}${hanging(indent, text, WIDTH - INDENT)}`
}
