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
  COMMON_EXITS,
  type CommandGroup,
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
  asked = '',
): Promise<number> {
  const name = asked === ALL ? '' : asked
  if (!isCommand(name)) return usageError(context, unknownCommand(name))
  const words = await helpWordsFor(options, context)
  context.stdout(await helpText(context.version, name, words, asked === ALL))
  return EXIT.ok
}

/** Word after `--help` and `help` that adds the settings. */
export const ALL = 'all'

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

/** Output of `--help` for the program or one of its commands; a command's own options come first. `isAll`: with the settings that it takes. */
export async function helpText(
  version: string,
  asked: CommandName,
  words: HelpWords = englishHelpWords,
  isAll = false,
): Promise<string> {
  const {
    takes = '',
    summary,
    options,
    keys,
    takesSettings = false,
  }: CommandPlan = commandTable[asked]
  const translated = words.tables?.commands[asked]
  const rows = (all: Readonly<Record<string, string>>) =>
    Object.entries(all).map(([term, text]) => helpRow(term, translated?.[term] ?? text))
  const usage = [asked, takes.replace(/^\[\.\.\.(.*)\]$/, '<$1...>'), '[options]']
    .filter(Boolean)
    .join(' ')
  const own =
    asked === ''
      ? programHead(version, words)
      : [`svc-quota-monitor ${usage}\n`, paragraph(translated?.summary ?? summary)]
  const common = [
    ...(takesSettings ? [helpRow('--config <path|off>', words.configOption)] : []),
    takesSettings
      ? helpRow('-h, --help [all]', words.helpAllOption)
      : helpRow('-h, --help', words.helpOption),
    ...(asked === '' ? [helpRow('<command> --help', words.takesOfOne)] : []),
    ...(takesSettings ? [helpRow('-v, --version', words.versionOption)] : []),
  ]
  return [
    own,
    [`${words.options}\n`, ...rows(options), ...common],
    ...(keys === undefined ? [] : [[`${words.keys}\n`, ...rows(keys)]]),
    ...(asked === 'init' ? [[`${words.artifacts}\n`, await artifactRows(words)]] : []),
    ...(takesSettings && isAll ? [[settingsText(words)]] : []),
    [`${words.exitCodes}\n`, ...exitRows(asked, words)],
  ]
    .map((section) => section.join(''))
    .join('\n')
}

function programHead(version: string, words: HelpWords): readonly string[] {
  const groups = [...new Set(commandNames.map((name) => commandTable[name].group))]
  const rowsOf = (group: CommandGroup) =>
    commandNames
      .filter((name) => commandTable[name].group === group)
      .map((name) =>
        helpRow(
          name || words.noName,
          words.tables?.commands[name].summary ?? commandTable[name].summary,
          COMMANDS_INDENT,
        ),
      )
  return [
    `svc-quota-monitor ${version}\n`,
    paragraph(words.about),
    `\n${words.usage}\n  svc-quota-monitor [command] [options]        ${words.sameProgram}\n`,
    ...groups.map(
      (group) => `\n${words.tables?.groups[group] ?? group}\n${rowsOf(group).join('')}`,
    ),
  ]
}

function exitRows(asked: CommandName, words: HelpWords): readonly string[] {
  const translated: Readonly<Record<string, string>> = words.tables?.exits ?? {}
  return Object.entries({ ...COMMON_EXITS, ...commandTable[asked].exits }).map(([code, text]) =>
    helpRow(code, translated[text] ?? text, EXITS_INDENT),
  )
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
  return `${headings.map((heading) => `${words.tables?.headings[heading] ?? heading}\n${rowsOf(heading).join('')}`).join('\n')}\n${paragraph(words.settingsNote)}`
}

function settingHelp(setting: Setting<SettingKey>, words: HelpWords): string {
  const fallback = setting.fallbackText ?? String(setting.fallback ?? 'none')
  return helpRow(
    `--${flagOf(setting)} ${setting.placeholder}`,
    `${words.tables?.settings[setting.key] ?? setting.help} [${words.tables?.fallbacks[fallback] ?? fallback}]`,
  )
}

/** The width of a terminal that nobody has widened. */
const WIDTH = 80
const INDENT = 28
const COMMANDS_INDENT = 19
const EXITS_INDENT = 5

function paragraph(text: string): string {
  return hanging('', text, WIDTH)
}

/** Two columns; the second is wrapped, and starts on a new line if the first is too long. */
export function helpRow(term: string, text: string, indentColumns = INDENT): string {
  const head = `  ${term}`
  const isLong = columnsOf(head) >= indentColumns
  const indent = padded(isLong ? '' : head, indentColumns)
  return `${isLong ? `${head}\n` : ''}${hanging(indent, text, WIDTH - indentColumns)}`
}
