import { resolveConfig } from '@svc/config'
import type { Clock } from '@svc/core/service'
import { createFakeUpstream, type FakeAccount, type FakeUpstream } from '@svc/fake-proxy'
import { createLog, type RunningServer, startServer } from '@svc/server'
import { pipelineHere } from '@svc/server/pipeline'
import { builtDashboard, builtWorkers } from './built-workers.ts'
import { ownConnection } from './own-connection.ts'
import { type ServedFake, serveFake } from './serve-fake.ts'
import { freePort } from './started-program.ts'

export interface LiveService {
  readonly fake: FakeUpstream
  readonly url: string
  /** Every line the service logged so far. */
  readonly log: () => string
  json<Body>(path: string): Promise<Body>
  reload(): void
  stop(): Promise<void>
  /** Ends the service alone; the fake goes on. */
  pause(): Promise<void>
  /** Starts another service in front of the same fake, in place of this one. */
  restart(flags?: Readonly<Record<string, string>>): Promise<LiveService>
}

export interface LiveServiceOptions {
  readonly clock: Clock
  readonly accounts: readonly FakeAccount[]
  /** The key the service is given; the fake's own when left out. */
  readonly key?: string
  readonly flags?: Readonly<Record<string, string>>
  /** Asks the fake over sockets when left out. */
  readonly fetchOf?: (fake: FakeUpstream) => typeof fetch
  readonly authDir?: string
  /** Changes the fake before the service meets it. */
  readonly prepare?: (fake: FakeUpstream) => void
  /** Waits in the fake. */
  readonly sleep?: (milliseconds: number) => Promise<void>
}

export const MANAGEMENT_KEY = 'right-management-key'

/** The real service in this process, over real sockets, against a served fake that lives by the same clock. */
export async function startLiveService(options: LiveServiceOptions): Promise<LiveService> {
  const { clock } = options
  const fake = createFakeUpstream({
    now: () => clock.now(),
    managementKey: MANAGEMENT_KEY,
    accounts: options.accounts,
    ...(options.authDir === undefined ? {} : { authDir: options.authDir }),
    ...(options.sleep === undefined ? {} : { sleep: options.sleep }),
  })
  options.prepare?.(fake)
  const served = await serveFake(fake, 0)
  return await startInFront(fake, served, options)
}

async function startInFront(
  fake: FakeUpstream,
  served: ServedFake,
  options: LiveServiceOptions,
): Promise<LiveService> {
  const { clock } = options
  const { config } = resolveConfig({
    flags: {
      'upstream-url': served.url,
      port: String(await freePort()),
      'display-timezone': 'UTC',
      ...options.flags,
    },
    configFlag: 'off',
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: options.key ?? MANAGEMENT_KEY },
    cwd: '/',
    homeDir: '/',
    hostTimeZone: 'UTC',
    demo: false,
    readTextFile: () => '',
  })
  const lines: string[] = []
  const log = createLog({
    level: 'debug',
    format: 'text',
    write: (line) => lines.push(line),
    clock,
  })
  const server: RunningServer = await startServer({
    config,
    demo: false,
    version: '0.0.0-test',
    workers: builtWorkers,
    dashboard: builtDashboard,
    startPipeline: pipelineHere({
      clock,
      random: () => 0.5,
      fetch: options.fetchOf?.(fake) ?? globalThis.fetch,
    }),
    deps: { clock, isMachineClock: false, log },
  })
  return {
    fake,
    url: server.url,
    log: () => lines.join(''),
    json: async <Body>(path: string) =>
      (await (await fetch(server.url + path, ownConnection)).json()) as Body,
    reload: () => server.reload(),
    async pause() {
      await server.stop('test')
    },
    async restart(flags) {
      await server.stop('test')
      return await startInFront(fake, served, { ...options, flags: { ...options.flags, ...flags } })
    },
    async stop() {
      await server.stop('test')
      await served.close()
    },
  }
}
