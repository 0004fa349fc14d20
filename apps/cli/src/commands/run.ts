import { MANAGEMENT_KEY_ENV, resolveConfig } from '@svc/config'
import { createLog, StartError, startServer } from '@svc/server'
import { type CliContext, EXIT } from '../cli-context.ts'
import { configInput, type ParsedOptions } from '../flags.ts'

/** Runs the service until a signal ends it. Resolves with the exit code; throws ConfigError. */
export async function run(options: ParsedOptions, context: CliContext): Promise<number> {
  const input = configInput(options, context)
  const resolved = resolveConfig(input)
  const { config } = resolved
  context.forgetEnv(MANAGEMENT_KEY_ENV)

  const { clock, random, fetch, version } = context
  const log = createLog({ level: config.logLevel, format: config.logFormat, write: context.stderr, clock })
  if (resolved.ignoredKeys.length > 0) log.info('demo ignores these settings', { keys: resolved.ignoredKeys.join(' ') })

  try {
    const server = await startServer({ config, demo: input.demo, version, deps: { clock, random, fetch, log } })
    context.stdout(`svc-quota-monitor ${version}${input.demo ? ' demo' : ''} listens: open ${server.url}/api/v1/recommendations\n`)
    return await untilSignal(context, server)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    context.stderr(`svc-quota-monitor: ${error.message}\n`)
    return EXIT.failed
  }
}

/** A second signal does not wait for anything. Its exit code is the shell's for a process ended by SIGINT. */
const EXIT_IMPATIENT = 130

function untilSignal(context: CliContext, server: Awaited<ReturnType<typeof startServer>>): Promise<number> {
  return new Promise((resolve) => {
    let stopping = false
    const stop = (reason: string) => {
      if (stopping) return context.exitNow(EXIT_IMPATIENT)
      stopping = true
      void server.stop(reason).then(() => resolve(EXIT.ok))
    }
    context.onSignal('SIGTERM', () => stop('SIGTERM'))
    context.onSignal('SIGINT', () => stop('SIGINT'))
    context.onSignal('SIGHUP', () => server.reload())
  })
}
