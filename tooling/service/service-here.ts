import { resolveConfig } from '@svc/config'
import type { Clock } from '@svc/core/service'
import { createLog } from '@svc/monitor'
import { pipelineHere } from '@svc/monitor/pipeline'
import { startServer } from '@svc/server'
import { builtDashboard, builtWorkers, freePort } from './built-program.ts'

export interface HereOptions {
  readonly time: Clock
  readonly demo: boolean
  readonly key: string | null
  readonly flags: Readonly<Record<string, string>>
  /** Contents of the configuration file; no file is read if left out. */
  readonly configText?: string
  /** Function for requests to the proxy. */
  readonly fetch: typeof fetch
  /** Random variation of its rounds; none if left out. */
  readonly random?: () => number
}

/** Nominal path of the configuration file. */
const CONFIG_FILE = '/config.toml'

/** Starts the service in this process, over real sockets; uses a free port unless the flags name one. */
export async function startHere(options: HereOptions) {
  const { time: clock, demo, key, configText = null, random = () => 0.5 } = options
  const { config } = resolveConfig({
    flags: { port: String(await freePort()), 'display-timezone': 'UTC', ...options.flags },
    configFlag: demo ? null : configText === null ? 'off' : CONFIG_FILE,
    env: key === null ? {} : { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: key },
    cwd: '/',
    homeDir: '/',
    hostTimeZone: 'UTC',
    demo,
    readTextFile: (path) => (path === CONFIG_FILE ? (configText ?? '') : ''),
  })
  const lines: string[] = []
  const log = createLog({
    level: 'debug',
    format: 'text',
    write: (line) => lines.push(line),
    clock,
  })
  const server = await startServer({
    config,
    demo,
    version: '0.0.0-test',
    workers: builtWorkers,
    dashboard: builtDashboard,
    startPipeline: pipelineHere({ clock, random, fetch: options.fetch }),
    deps: { clock, isMachineClock: false, log },
  })
  return {
    url: server.url,
    /** Every line it has logged so far. */
    output: () => lines.join(''),
    reload: () => server.reload(config.fleet.upstreams),
    async stop() {
      await server.stop('test')
    },
  }
}

/** The service in this process. */
export type ServiceHere = Awaited<ReturnType<typeof startHere>>
