import { Cancelled, install, questions, SetupError, uninstall } from '@svc/setup'
import { startWayIds } from '@svc/setup/start-ways'
import { type CliContext, EXIT, failure, usageError } from '../program/cli-context.ts'
import { choiceOf, configInput, isOn, type ParsedOptions } from '../program/flags.ts'
import { findingsReport } from './doctor.ts'
import { run } from './run.ts'

/** Configures the monitor, checks that it will work, and starts it; or undoes that. Resolves with the exit code; throws ConfigError. */
export async function setup(options: ParsedOptions, context: CliContext): Promise<number> {
  const isAsking = !isOn(options.yes)
  if (isAsking && context.terminal === null)
    return usageError(
      context,
      'setup asks on a terminal: elsewhere give --yes, --upstream-url and --management-key-file',
    )
  const told = {
    input: configInput(options, context),
    way: options.start === undefined ? null : choiceOf('--start', options.start, startWayIds),
    isForced: isOn(options.force),
  }
  const world = {
    ...context,
    ask: isAsking ? questions : null,
    reportOf: (findings: Parameters<typeof findingsReport>[0]) =>
      findingsReport(findings, 'problems', context),
  }
  try {
    if (isOn(options.remove)) await uninstall(told, world)
    else {
      const done = await install(told, world)
      if (done?.way === 'foreground') return await run({ config: [done.configPath] }, context)
    }
    return EXIT.ok
  } catch (error) {
    if (error instanceof Cancelled) return EXIT.failed
    if (!(error instanceof SetupError)) throw error
    return (error.isUsage ? usageError : failure)(context, error.message)
  }
}
