import { ConfigError, flagOf, nearestWord, settings } from '@svc/config'
import { type CAC, type Command, cac } from 'cac'
import {
  type CommandAction,
  type CommandName,
  type CommandPlan,
  commandTable,
  flagRowsOf,
  planOf,
} from './command-table.ts'
import { help, helpText, helpWordsFor, unknownCommand } from './help.ts'
import { type CliContext, EXIT, usageError } from './program/cli-context.ts'
import { isOn, type ParsedOptions, withJoinedDashes } from './program/flags.ts'

/**
 * Parses the command line, runs the command, and resolves with the exit code. A user's mistake, and output that could not be written, give
 * one line on stderr.
 */
export async function runCli(context: CliContext): Promise<number> {
  const code = await runCommand(context)
  const failure = await context.stdoutFailure()
  if (failure === null) return code
  context.stderr(`svc-quota-monitor: the output could not be written (${failure})\n`)
  return code === EXIT.ok ? EXIT.failed : code
}

async function runCommand(context: CliContext): Promise<number> {
  if (context.argv.some((argument) => /^--management-key(?:=|$)/.test(argument))) {
    return usageError(
      context,
      'the management key is never a flag, because process lists show flags: use --management-key-file',
    )
  }

  try {
    const cli = commandLine(context)
    const { args, options } = cli.parse(
      ['node', 'svc-quota-monitor', ...withJoinedDashes(context.argv)],
      { run: false },
    )
    const command = (cli.matchedCommandName ?? '') as CommandName
    if (context.argv.includes('--'))
      return usageError(context, '-- is not supported: --help lists the commands')
    if (command === '' && args.length > 0)
      return usageError(context, unknownCommand(String(args[0])))
    const mistake = flagMistake(context.argv, planOf(command))
    if (mistake !== null) return usageError(context, mistake)
    if (isOn(options.help)) {
      const words = await helpWordsFor(options, context)
      context.stdout(await helpText(context.version, command, words))
      return EXIT.ok
    }
    if (isOn(options.version)) {
      context.stdout(`svc-quota-monitor ${context.version}\n`)
      return EXIT.ok
    }
    return await (cli.runMatchedCommand() as Promise<number>)
  } catch (error) {
    if (error instanceof ConfigError) return usageError(context, error.message)
    if (error instanceof Error && error.name === 'CACError')
      return usageError(
        context,
        `${error.message.replaceAll('`', '').replace(/\p{Cc}+/gu, ' ')}: --help lists the options`,
      )
    throw error
  }
}

function commandLine(context: CliContext): CAC {
  const cli = cac('svc-quota-monitor')
  for (const plan of commandTable as readonly CommandPlan[]) {
    const command = cli
      .command(`${plan.name} ${plan.takes}`.trim(), plan.summary)
      .option('-h, --help', 'Print help')
    for (const [flag, help] of plan.options) command.option(flag, help)
    if (plan.takesSettings) withSettings(command)
    // If the command takes arguments, the parser passes them before the options.
    command.action(async (...args: readonly unknown[]) => {
      const run = await (plan.load === null ? madeFromTable(plan) : plan.load())
      return run(args.at(-1) as ParsedOptions, context, plan.takes === '' ? undefined : args[0])
    })
  }
  return cli
}

/** The code of a command that the table of commands cannot load, because it is made from it. */
async function madeFromTable({ name }: CommandPlan): Promise<CommandAction> {
  return name === 'completion' ? (await import('./completion.ts')).completion : help
}

function withSettings(command: Command): void {
  command
    .option('--config <path>', 'Configuration file')
    .option('-v, --version', 'Print the version')
  for (const setting of settings)
    command.option(
      `--${flagOf(setting)} ${setting.placeholder.replace(/[[\]|]/g, '')}`,
      setting.help,
    )
}

/**
 * The mistake in the typed flags, as one line; null without a mistake. The parser does not help here: it also accepts `--stateDb` and
 * `--no-demo`, and a mistyped switch would start the service with the real proxy.
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

/** Whether a word is a value. A single dash is one, because it means standard input or output. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (word === '-' || !word.startsWith('-'))
}

/** Placeholder of each flag's value, such as `<path>`; empty for a switch. */
function flagsOf(plan: CommandPlan): ReadonlyMap<string, string> {
  return new Map(
    flagRowsOf(plan).map(([flag]) => {
      const [name = '', takes = ''] = flag.split(' ')
      return [name, takes]
    }),
  )
}

function unknownFlag(name: string, known: readonly string[]): string {
  const near = nearestWord(name, known)
  return `unknown flag ${name.replace(/\p{Cc}+/gu, ' ')}: ${near === null ? '--help lists the flags' : `did you mean ${near}?`}`
}
