import { createFakeUpstream, type FakeAccount, type FakeUpstream } from '@svc/fake-proxy'
import type { PostgresServer } from '@svc/history/testing'
import { eventually } from '../../../tooling/eventually.ts'
import { serveFake } from '../../../tooling/serve-fake.ts'
import { freePort } from '../../../tooling/service/built-program.ts'
import { type ServiceProcess, startService } from '../../../tooling/service/start-service.ts'
import { acceleratedClock } from '../../../tooling/test-instant.ts'

const KEY = 'right-key-of-the-pair-31'

/** What one monitor has asked of the proxy that only one of them may ask. */
interface Acts {
  pops: number
  queries: number
}

/** One monitor of a pair. */
export interface PairedMonitor {
  readonly service: ServiceProcess
  /** What it has asked so far. */
  readonly acts: Readonly<Acts>
  /** Calls `then` once, as the next question for usage comes, before it is answered. */
  onNextPop(then: () => void): void
}

/** Monitors of one fake proxy over one database, each of which reaches the proxy at an address of its own. */
export interface MonitorPair {
  readonly fake: FakeUpstream
  /** Whoever has asked for usage or the vendor, in their order, by the number of their start. */
  readonly order: readonly number[]
  /** The management key. */
  readonly key: string
  /** Starts one more; `stateDb`: another way to the database. */
  start(stateDb?: string, usageSource?: 'queue' | 'subscribe'): Promise<PairedMonitor>
  /** Lets clients send so many requests. */
  send(count: number): void
  /** The requests that clients have sent, as the database counts them. */
  storedCount(): Promise<number>
  /** Who acts for the proxy by the database's clock, and in which term; null for nobody. */
  lease(): Promise<{ readonly holder: string; readonly term: number } | null>
  /** Until this monitor acts. */
  acts(monitor: PairedMonitor): Promise<void>
  stop(): Promise<void>
}

export async function monitorPair(
  server: PostgresServer,
  database: string,
  accounts: readonly FakeAccount[],
): Promise<MonitorPair> {
  const time = acceleratedClock({ factor: 1 })
  const fake = createFakeUpstream({ now: () => time.now(), managementKey: KEY, accounts })
  const closing: (() => Promise<unknown>)[] = []
  const order: number[] = []
  let sent = 0
  let started = 0

  // Until the first monitor has made the tables there is nothing to read.
  const read = (sql: string) => server.sql(sql, database).catch(() => '')
  const portOf = ({ service }: PairedMonitor) => new URL(service.url).port
  const lease: MonitorPair['lease'] = async () => {
    const row = await read(
      `SELECT holder, term FROM svc_quota_monitor.leases WHERE name = 'proxy/default' AND expires_at > clock_timestamp()`,
    )
    const [holder, term] = row.split('|')
    return holder === undefined || holder === '' ? null : { holder, term: Number(term) }
  }
  return {
    fake,
    order,
    key: KEY,
    lease,
    async start(stateDb = server.address(database), usageSource = 'queue') {
      const acts: Acts = { pops: 0, queries: 0 }
      const number = started
      started += 1
      let onPop = () => {}
      const app: Pick<FakeUpstream['app'], 'fetch'> = {
        fetch(request, ...rest) {
          const { pathname } = new URL(request.url)
          if (pathname.endsWith('/usage-queue')) {
            acts.pops += 1
            onPop()
          }
          if (pathname.endsWith('/api-call')) acts.queries += 1
          if (/[/](usage-queue|api-call)$/.test(pathname)) order.push(number)
          return fake.app.fetch(request, ...rest)
        },
      }
      const served = await serveFake({ ...fake, app: app as FakeUpstream['app'] }, 0)
      const service = await startService({
        where: 'program',
        key: KEY,
        flags: {
          config: 'off',
          'upstream-url': served.url,
          'state-db': stateDb,
          'refresh-seconds': '5',
          'history-write-seconds': '5',
          'usage-source': usageSource,
          'manual-quota-refresh-auth': 'management-key',
          port: String(await freePort()),
        },
      })
      closing.push(
        () => service.stop('SIGKILL'),
        () => served.close(),
      )
      return {
        service,
        acts,
        onNextPop(then) {
          onPop = () => {
            onPop = () => {}
            then()
          }
        },
      }
    },
    send(count) {
      for (let number = 0; number < count; number += 1) {
        sent += 1
        fake.usage.record({ at: time.now(), source: `request-${sent}`, authIndex: `${sent}` })
      }
    },
    storedCount: async () => Number(await read('SELECT count(*) FROM svc_quota_monitor.usage')),
    acts: (monitor) =>
      eventually('the monitor acts for the proxy', async () => {
        const isHolder = (await lease())?.holder.includes(`:${portOf(monitor)}#`) === true
        return isHolder && monitor.acts.pops > 0
      }),
    async stop() {
      for (const close of closing.splice(0).reverse()) await close().catch(() => undefined)
    },
  }
}
