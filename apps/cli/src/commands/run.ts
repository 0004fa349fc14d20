import {
  type ConfigInput,
  MANAGEMENT_KEY_ENV,
  type ResolvedConfig,
  resolveConfig,
  upstreamsOf,
} from '@svc/config'
import type { RunningServer } from '@svc/server'
import { type CliContext, EXIT, failure } from '../program/cli-context.ts'
import { configInput, type ParsedOptions } from '../program/flags.ts'
import { reloadedUpstreams } from '../program/reloaded-upstreams.ts'
import { firstStopSignal } from '../program/stop-signal.ts'

/** Runs the service until a signal ends it. Resolves with the exit code; throws ConfigError. */
export async function run(options: ParsedOptions, context: CliContext): Promise<number> {
  const input = configInput(options, context)
  const resolved = resolveConfig(input)
  const { config } = resolved
  context.forgetEnv(MANAGEMENT_KEY_ENV)

  // Loaded only now, so that a mistake in the configuration is reported at once.
  const { createLog, pipelineInThread } = await import('@svc/monitor')
  const { StartError, startServer } = await import('@svc/server')
  const { clock, startInstant, version } = context
  const isText = config.log.logFormat === 'text'
  const log = createLog({
    level: config.log.logLevel,
    format: config.log.logFormat,
    write: context.stderr,
    clock,
  })
  if (resolved.ignoredKeys.length > 0)
    log.info('demo ignores these settings', { keys: resolved.ignoredKeys })
  for (const warning of resolved.warnings) log.warn(warning)
  if (isFirstStart(resolved, input)) log.warn(FIRST_STEPS, {}, 'news')
  if (config.server.allowedHosts.length > 0) {
    // The list of suffixes is large, and most have no use for it.
    const { publicSuffixesOf } = await import('@svc/doctor/public-suffix')
    for (const suffix of publicSuffixesOf(config.server.allowedHosts))
      log.warn('an allowed host is a public suffix: list the whole name', { suffix }, 'news')
  }

  // Before the service starts, so that no signal can find the process unprepared.
  let server: RunningServer | null = null
  const stopRequested = firstStopSignal(context)
  let { upstreams } = config.fleet
  context.onSignal('SIGHUP', () => {
    const now = reloadedUpstreams(input, upstreams)
    upstreams = now.upstreams
    server?.reload(upstreams)
    // The last line: people look at the end of the log first.
    now.complain(log)
  })

  try {
    server = await startServer({
      config,
      demo: input.demo,
      version,
      startPipeline: pipelineInThread(new URL('./pipeline.js', import.meta.url), startInstant),
      workers: WORKERS,
      dashboard: DASHBOARD,
      deps: { clock, isMachineClock: startInstant === null, log },
    })
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    if (!isText) log.error('not started', { reason: error.message }, 'news')
    return isText ? failure(context, error.message) : EXIT.failed
  }
  const url = `${server.url}/`
  // Both streams often end in one log, so this line is JSON where its lines are.
  context.stdout(
    isText
      ? `svc-quota-monitor ${version}${input.demo ? ' demo' : ''} listening on ${url}\n`
      : `${JSON.stringify({ event: 'listening', version, demo: input.demo, url })}\n`,
  )
  const reason = await stopRequested
  context.clock.schedule(STOP_MS_MAX, () => context.dieBy('SIGKILL'))
  if (!(await server.stop(reason))) context.dieBy('SIGKILL')
  // A connection to the proxy that is still being torn down must not keep the process alive.
  context.exitNow(EXIT.ok)
  return EXIT.ok
}

const FIRST_STEPS =
  'there is no configuration file and no management key: `svc-quota-monitor init config` prints a file, `svc-quota-monitor doctor` says what is missing'

/** Whether the program was started without any configuration. */
function isFirstStart({ file, config }: ResolvedConfig, { demo }: ConfigInput): boolean {
  return (
    !demo &&
    file === null &&
    upstreamsOf(config).every(
      ({ upstream: { managementKey, managementKeyFile } }) =>
        managementKey === null && managementKeyFile === null,
    )
  )
}

/** Worker files, which the build places beside the program. */
const WORKERS = {
  storeWriter: new URL('./store-writer.js', import.meta.url),
  storeReader: new URL('./store-reader.js', import.meta.url),
  storeLeases: new URL('./store-leases.js', import.meta.url),
}

const DASHBOARD = new URL('./dashboard/', import.meta.url)

/** Time after which the process ends even if something hangs. See docs/limits.md#stopping. */
const STOP_MS_MAX = 10_000
