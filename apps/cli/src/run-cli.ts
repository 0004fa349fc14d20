import { ConfigError, flagOf, settings } from '@svc/config'
import { type CAC, type Command, cac } from 'cac'
import { type CliContext, EXIT } from './cli-context.ts'
import { printConfig } from './commands/print-config.ts'
import { isOn, type ParsedOptions } from './flags.ts'
import { helpText } from './help.ts'

/** Parses the command line, runs the command, and resolves with the exit code. A mistake of the user is one line on stderr. */
export async function runCli(context: CliContext): Promise<number> {
  const usageError = (message: string) => {
    context.stderr(`svc-quota-monitor: ${message}\n`)
    return EXIT.usage
  }
  if (context.argv.some((argument) => /^--management-key(?:=|$)/.test(argument))) {
    return usageError('the management key is never a flag, because process lists show flags: use --management-key-file')
  }

  try {
    const cli = commandLine(context)
    const { args, options } = cli.parse(['node', 'svc-quota-monitor', ...context.argv], { run: false })
    if (isOn(options.help)) {
      context.stdout(helpText(context.version))
      return EXIT.ok
    }
    if (isOn(options.version)) {
      context.stdout(`svc-quota-monitor ${context.version}\n`)
      return EXIT.ok
    }
    if (context.argv.includes('--')) return usageError('-- is not supported: --help lists the commands')
    if (cli.matchedCommand?.isDefaultCommand !== false && args.length > 0) {
      return usageError(`unknown command ${JSON.stringify(args[0])}: --help lists the commands`)
    }
    return await (cli.runMatchedCommand() as Promise<number>)
  } catch (error) {
    if (error instanceof ConfigError) return usageError(error.message)
    if (error instanceof Error && error.name === 'CACError')
      return usageError(`${error.message.replaceAll('`', '').replace(/\p{Cc}+/gu, ' ')}: --help lists the options`)
    throw error
  }
}

function commandLine(context: CliContext): CAC {
  const cli = cac('svc-quota-monitor')
  withSettings(cli.command('', 'Run the service'))
    .option('--demo', 'Serve a built-in sample pool')
    // The server is loaded only where it runs, so that every other command answers at once.
    .action(async (options: ParsedOptions) => (await import('./commands/run.ts')).run(options, context))
  withSettings(cli.command('print-config', 'Print the resolved configuration'))
    .option('--demo', 'As for the sample pool')
    .option('--json', 'For scripts')
    .action(async (options: ParsedOptions) => printConfig(options, context))
  withSettings(cli.command('doctor', 'Check the set-up'))
    .option('--json', 'For scripts')
    .action(async (options: ParsedOptions) => (await import('./commands/doctor.ts')).doctor(options, context))
  withSettings(cli.command('init [artifact]', 'Print or write what a deployment needs'))
    .option('--write <dir>', 'Write all artifacts there')
    .option('--force', 'Write over files that are there')
    .action(async (artifact: unknown, options: ParsedOptions) => (await import('./commands/init.ts')).init(artifact, options, context))
  withSettings(cli.command('redact [...files]', 'Make redacted copies'))
    .option('--output <dir>', 'Where the copies go')
    .option('--keep-map <file>', 'Keep what stands for what')
    .option('--json', 'For scripts')
    .action(async (files: readonly unknown[], options: ParsedOptions) =>
      (await import('./commands/redact.ts')).redact(files, options, context),
    )
  // Loaded only where they run: with them comes SQLite.
  cli
    .command('export-history', 'Write a backup of a history store')
    .option('--state-db <path>', 'The store')
    .option('--output <file>', 'A file that does not exist yet')
    .option('-h, --help', 'Print help')
    .action(async (options: ParsedOptions) => (await import('./commands/backup.ts')).exportHistory(options, context))
  cli
    .command('import-history [file]', 'Add a backup to a history store')
    .option('--state-db <path>', 'The store')
    .option('-h, --help', 'Print help')
    .action(async (file: unknown, options: ParsedOptions) => (await import('./commands/backup.ts')).importHistory(file, options, context))
  return cli
}

function withSettings(command: Command): Command {
  command.option('--config <path>', 'Configuration file').option('-h, --help', 'Print help').option('-v, --version', 'Print the version')
  for (const setting of settings) command.option(`--${flagOf(setting)} ${setting.placeholder.replace(/[[\]|]/g, '')}`, setting.help)
  return command
}
