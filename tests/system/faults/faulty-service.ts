import type { EpochMs } from '@svc/core'
import type { SourceId } from '@svc/core/service'
import { type FakeAccount, type FakeFault, type FakeRoute, fakeRoutes } from '@svc/fake-proxy'
import type { Health, StatusSnapshot } from '@svc/views'
import { eventually } from '../../../tooling/eventually.ts'
import {
  MANAGEMENT_KEY,
  type ProxiedProcess,
  startService,
} from '../../../tooling/service/start-service.ts'
import {
  acceleratedClock,
  monotonicNowMs,
  paceOfBusyMachine,
  testInstant,
} from '../../../tooling/test-instant.ts'

/** Service seconds in one real second. */
export const FACTOR = paceOfBusyMachine(30)
/** Settings of the service under fault, in its own time. */
export const REFRESH_SECONDS = 15
export const TIMEOUT_SECONDS = 10

/** A paced service in front of a fake proxy, with the questions that the fault tests ask. */
export interface FaultyService extends ProxiedProcess {
  /** Values that no output may contain. */
  readonly secrets: readonly string[]
  status(): Promise<StatusSnapshot>
  /** One source as health shows it. */
  source(id: SourceId): Promise<Health['sources'][number]>
  /** Waits, in real time, until the status is of this source. */
  until(source: StatusSnapshot['source']): Promise<StatusSnapshot>
  /** Every route of the proxy meets this fault; null ends it. */
  setFault(fault: FakeFault | null, routes?: readonly FakeRoute[]): void
  /** Log lines written since the call. */
  logSince(): () => readonly string[]
  /** Rejects when the service had ended before, does not end in time or ends with an error. */
  stop(): Promise<number>
}

export interface FaultyServiceOptions {
  readonly accounts: (now: EpochMs) => readonly FakeAccount[]
  readonly factor?: number
  /** What the clock shows at the start; the instant of all tests when left out. */
  readonly startsAt?: EpochMs
  readonly flags?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly faults?: { readonly dnsDownFile?: string }
  /** Where the service looks for the proxy, given where the fake is. */
  readonly upstreamUrl?: (fakeUrl: string) => string
}

/** All services of a test file share their past, so that one that is started again finds its store as old as it is. */
const startedMs = monotonicNowMs()

/** Starts the service with the settings of the fault tests. */
export async function startFaultyService({
  accounts,
  factor = FACTOR,
  startsAt = testInstant,
  flags = {},
  ...options
}: FaultyServiceOptions): Promise<FaultyService> {
  const time = { factor, startsAt, startedMs }
  const clock = acceleratedClock(time)
  const pool = accounts(clock.now())
  const service = await startService({
    where: 'child',
    time,
    accounts: pool,
    sleep: (milliseconds) =>
      new Promise<void>((resolve) => void clock.schedule(milliseconds, resolve)),
    flags: {
      'refresh-seconds': String(REFRESH_SECONDS),
      'upstream-timeout-seconds': String(TIMEOUT_SECONDS),
      'log-level': 'debug',
      ...flags,
    },
    ...options,
  })
  const { child, fake, json, output, stderr } = service
  const endingOf = () => child.exitCode ?? child.signalCode
  const status = () => json<StatusSnapshot>('/api/v1/status')

  return {
    ...service,
    secrets: [MANAGEMENT_KEY, ...pool.flatMap(({ token }) => token ?? [])],
    status,
    async source(id) {
      let health: Partial<Health> = {}
      // A machine that is busy may take long until there is a first answer.
      await eventually('health is known', async () => {
        health = await json<Partial<Health>>('/api/v1/health')
        return health.sources !== undefined
      })
      const found = health.sources?.find((source) => source.id === id)
      if (found === undefined) throw new Error(`health shows no source ${id}`)
      return found
    },
    async until(source) {
      await eventually(`the data is ${source}`, async () => (await status()).source === source)
      return await status()
    },
    setFault(fault, routes = fakeRoutes) {
      for (const route of routes) fake.setFault(route, fault)
    },
    logSince() {
      const start = stderr().length
      return () =>
        stderr()
          .slice(start)
          .split('\n')
          .filter((line) => line !== '')
    },
    async stop() {
      const endedBefore = endingOf()
      child.kill('SIGTERM')
      await eventually('the service ends', () => endingOf() !== null).catch((error: unknown) => {
        child.kill('SIGKILL')
        throw error
      })
      const code = await service.stop()
      if (endedBefore !== null || code !== 0)
        throw new Error(
          `the service ended with ${endedBefore ?? endingOf()}: ${output().slice(-2_000)}`,
        )
      return code
    },
  }
}
