import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { EpochMs } from '@svc/core'
import type { SourceId } from '@svc/core/service'
import {
  createFakeUpstream,
  type FakeAccount,
  type FakeFault,
  type FakeRoute,
  type FakeUpstream,
  fakeRoutes,
} from '@svc/fake-proxy'
import type { Health, StatusSnapshot } from '@svc/views'
import {
  acceleratedClock,
  paceArguments,
  paceOfBusyMachine,
} from '../../../tooling/accelerated-clock.ts'
import { eventually } from '../../../tooling/eventually.ts'
import { ownConnection } from '../../../tooling/own-connection.ts'
import { type ServedFake, serveFake } from '../../../tooling/serve-fake.ts'
import { freePort } from '../../../tooling/started-program.ts'
import { monotonicNowMs, testInstant } from '../../../tooling/test-instant.ts'
import { top } from '../../../tooling/top.ts'
import type { WatchedService } from './base-line.ts'

/** Service seconds in one real second. */
export const FACTOR = paceOfBusyMachine(30)
/** Settings of the service under fault, in its own time. */
export const REFRESH_SECONDS = 15
export const TIMEOUT_SECONDS = 10
const MANAGEMENT_KEY = 'fault-management-key-9e41'

/** The service as a process of its own on a fast clock, in front of a fake proxy on the same clock. */
export interface FaultyService extends WatchedService {
  readonly fake: FakeUpstream
  readonly served: ServedFake
  readonly child: ChildProcess
  json<Body>(path: string): Promise<Body>
  status(): Promise<StatusSnapshot>
  /** One source as health shows it. */
  source(id: SourceId): Promise<Health['sources'][number]>
  /** The value of one sample, labels included; null when it is absent. */
  metric(sample: string): Promise<number | null>
  /** Waits, in real time, until the status is of this source. */
  until(source: StatusSnapshot['source']): Promise<StatusSnapshot>
  /** Every route of the proxy meets this fault; null ends it. */
  setFault(fault: FakeFault | null, routes?: readonly FakeRoute[]): void
  /** Log lines written since the call. */
  logSince(): () => readonly string[]
  /** Rejects when the service had ended by itself, does not end in time or ends with an error. */
  stop(): Promise<void>
}

export interface FaultyServiceOptions {
  readonly accounts: (now: EpochMs) => readonly FakeAccount[]
  readonly factor?: number
  /** What the clock shows at the start; the instant of all tests when left out. */
  readonly startsAt?: EpochMs
  readonly flags?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Where the service looks for the proxy, given where the fake is. */
  readonly upstreamUrl?: (fakeUrl: string) => string
}

/** All services of a test file share their past, so that one that is started again finds its store as old as it is. */
const startedMs = monotonicNowMs()

export async function startFaultyService({
  accounts,
  factor = FACTOR,
  startsAt = testInstant,
  flags = {},
  env = {},
  upstreamUrl,
}: FaultyServiceOptions): Promise<FaultyService> {
  const pace = { factor, startsAt, startedMs }
  const clock = acceleratedClock(pace)
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => void clock.schedule(milliseconds, resolve))
  const pool = accounts(clock.now())
  const fake = createFakeUpstream({
    now: () => clock.now(),
    sleep,
    managementKey: MANAGEMENT_KEY,
    accounts: pool,
  })
  const served = await serveFake(fake, 0)
  const url = `http://127.0.0.1:${await freePort()}`
  const settings = {
    'upstream-url': upstreamUrl?.(served.url) ?? served.url,
    port: new URL(url).port,
    'refresh-seconds': String(REFRESH_SECONDS),
    'upstream-timeout-seconds': String(TIMEOUT_SECONDS),
    'log-level': 'debug',
    ...flags,
  }
  const args = [
    ...paceArguments(pace),
    '--',
    ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
  ]
  const child = spawn(process.execPath, [join(top, 'tooling/dist/fast-service.js'), ...args], {
    env: { PATH: process.env.PATH ?? '', SVC_QUOTA_MONITOR_MANAGEMENT_KEY: MANAGEMENT_KEY, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  let ending: number | NodeJS.Signals | null = null
  child.once('exit', (code, signal) => {
    ending = code ?? signal
  })
  const json = async <Body>(path: string) =>
    (await (await fetch(url + path, ownConnection)).json()) as Body
  const status = () => json<StatusSnapshot>('/api/v1/status')
  await eventually('the service listens', () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )

  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    secrets: [MANAGEMENT_KEY, ...pool.flatMap(({ token }) => token ?? [])],
    fake,
    served,
    child,
    json,
    status,
    async source(id) {
      const found = (await json<Health>('/api/v1/health')).sources.find(
        (source) => source.id === id,
      )
      if (found === undefined) throw new Error(`health shows no source ${id}`)
      return found
    },
    async metric(sample) {
      const line = (await (await fetch(`${url}/metrics`, ownConnection)).text())
        .split('\n')
        .find((each) => each.startsWith(`${sample} `))
      return line === undefined ? null : Number(line.slice(sample.length))
    },
    async until(source) {
      await eventually(`the data is ${source}`, async () => (await status()).source === source)
      return await status()
    },
    setFault(fault, routes = fakeRoutes) {
      for (const route of routes) fake.setFault(route, fault)
    },
    logSince() {
      const start = output.length
      return () =>
        output
          .slice(start)
          .split('\n')
          .filter((line) => line !== '')
    },
    async stop() {
      const endedBefore = ending
      child.kill('SIGTERM')
      await eventually('the service ends', () => ending !== null).catch((error: unknown) => {
        child.kill('SIGKILL')
        throw error
      })
      await served.close()
      if (endedBefore !== null || ending !== 0)
        throw new Error(`the service ended with ${endedBefore ?? ending}: ${output.slice(-2_000)}`)
    },
  }
}
