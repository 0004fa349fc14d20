import { ConfigError } from '@svc/config'
import { type CAC, cac } from 'cac'
import {
  type CommandAction,
  type CommandName,
  type CommandPlan,
  commandNames,
  commandTable,
  flagRowsOf,
} from './command-table.ts'
import { ALL, help, helpText, helpWordsFor, unknownCommand } from './help.ts'
import { type CliContext, EXIT, failure, usageError } from './program/cli-context.ts'
import { type CommandLine, commandLineOf, isOn, optionsOf } from './program/flags.ts'

/**
 * Parses the command line, runs the command, and resolves with the exit code. User mistakes and failed writes to stdout are reported in one line on
 * stderr.
 */
export async function runCli(context: CliContext): Promise<number> {
  const code = await runCommand(context)
  const reason = await context.stdoutFailure()
  if (reason === null) return code
  const exit = failure(context, `the output could not be written (${reason})`)
  return code === EXIT.ok ? exit : code
}

async function runCommand(context: CliContext): Promise<number> {
  const { argv, version } = context
  if (argv.some((argument) => /^--management-key(?:=|$)/.test(argument))) {
    return usageError(
      context,
      'the management key is never a flag, because process lists show flags: use --management-key-file',
    )
  }

  try {
    const { words, flags } = commandLineOf(argv, switches())
    const cli = commandsFor(context, flags)
    const { args } = cli.parse(
      ['node', 'svc-quota-monitor', ...words.map((word) => (word === '-' ? DASH : word))],
      { run: false },
    )
    const name = (cli.matchedCommandName ?? '') as CommandName
    const { options, mistake } = optionsOf(flags, flagsOf(name))
    if (argv.includes('--'))
      return usageError(context, '-- is not supported: --help lists the commands')
    const isHelp = isOn(options.help ?? options.h)
    const isAll = isHelp && args.at(-1) === ALL
    if (name === '' && args[0] !== undefined && !isAll)
      return usageError(context, unknownCommand(args[0]))
    if (mistake !== null) return usageError(context, mistake)
    if (isHelp) {
      const texts = await helpWordsFor(options, context)
      context.stdout(await helpText(version, name, texts, isAll))
      return EXIT.ok
    }
    if (isOn(options.version ?? options.v)) {
      context.stdout(`svc-quota-monitor ${version}\n`)
      return EXIT.ok
    }
    const wrongArgument = argumentMistake(name, args)
    if (wrongArgument !== null) return usageError(context, wrongArgument)
    return await (cli.runMatchedCommand() as Promise<number>)
  } catch (error) {
    if (error instanceof ConfigError) return usageError(context, error.message)
    throw error
  }
}

/** The mistake in the arguments after the name of a command; null if there is none. */
function argumentMistake(name: CommandName, args: readonly string[]): string | null {
  const { takes = '' }: CommandPlan = commandTable[name]
  if (takes.startsWith('[...')) return null
  const what = takes.slice(1, -1).replaceAll('|', ', ')
  const isNeeded = takes.startsWith('<') && args.length === 0
  if (!isNeeded && args.length <= (what === '' ? 0 : 1)) return null
  const count = what.includes(',') ? 'one of' : 'one'
  const given = args.map((word) => JSON.stringify(word === DASH ? '-' : word)).join(' ')
  return `${name} takes ${what === '' ? 'no argument' : `${count} ${what}`}${isNeeded ? '' : `, not ${given}`}: ${name} --help says more`
}

/** Placeholder for a lone dash, which the parser would drop; a command line cannot contain this character. */
const DASH = '\0'

/** The commands for the parser, which receives words only: it would also accept `--stateDb` and `--no-demo`, and turn digits into numbers. */
function commandsFor(context: CliContext, flags: CommandLine['flags']): CAC {
  const cli = cac('svc-quota-monitor')
  for (const name of commandNames) {
    const { takes = '', summary, load }: CommandPlan = commandTable[name]
    const command = cli.command(`${name} ${takes}`.trim(), summary)
    command.action(async (...given: readonly unknown[]) => {
      const run = await (load === null ? madeFromTable(name) : load())
      const words = given
        .slice(0, -1)
        .flat()
        .filter((word) => word !== undefined)
      const args = words.map((word) => (word === DASH ? '-' : String(word)))
      return run(optionsOf(flags, flagsOf(name)).options, context, ...args)
    })
  }
  return cli
}

/** The placeholder of the value of each flag of a command; empty for a switch. */
export function flagsOf(name: CommandName): ReadonlyMap<string, string> {
  const rows = flagRowsOf(name).map(([flag]) => flag.split(' '))
  return new Map(rows.map(([flag = '', takes = '']) => [flag, takes]))
}

/** The flags without a value, which are the same in every command. */
export function switches(): ReadonlySet<string> {
  const all = commandNames.flatMap((name) => [...flagsOf(name)])
  return new Set(all.filter(([, takes]) => takes === '').map(([flag]) => flag))
}

/** Loads `help` or `completion`, which the table of commands cannot load because they depend on it. */
async function madeFromTable(name: CommandName): Promise<CommandAction> {
  return name === 'completion' ? (await import('./completion.ts')).completion : help
}
