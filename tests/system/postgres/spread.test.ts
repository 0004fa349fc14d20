import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EpochMs } from '@svc/core'
import { aFakeAccount, createFakeUpstream, type FakeUpstream } from '@svc/fake-proxy'
import { ownDatabases, type PostgresServer, whyNoPostgres } from '@svc/history/testing'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { acceleratedClock } from '../../../tooling/accelerated-clock.ts'
import { eventually } from '../../../tooling/eventually.ts'
import { serveFake } from '../../../tooling/serve-fake.ts'
import { freePort } from '../../../tooling/service/built-program.ts'
import { type ServiceProcess, startService } from '../../../tooling/service/start-service.ts'

const KEY = 'right-key-of-the-fleet-47'
const PROXIES = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord']

const databases = ownDatabases()
const cleanUp: (() => unknown)[] = []
let server: PostgresServer
let database: string
let now: () => EpochMs
let fakes: ReadonlyMap<string, FakeUpstream>
/** Pops of each proxy in their order, by the name of the monitor. */
let pops: Map<string, string[]>
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  server = await databases.server()
  database = await server.createDatabase()
  const time = acceleratedClock({ factor: 1 })
  now = () => time.now()
  pops = new Map(PROXIES.map((name) => [name, []]))
  fakes = new Map(
    PROXIES.map((name) => [
      name,
      createFakeUpstream({
        now: () => time.now(),
        managementKey: KEY,
        accounts: [aFakeAccount({ name: `${name}-ana` })],
      }),
    ]),
  )
})
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})
afterAll(() => databases.remove())

/** Starts one that reaches every proxy at addresses of its own. */
async function monitor(called: string): Promise<ServiceProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'fleet-'))
  cleanUp.push(() => rm(folder, { recursive: true }))
  const keyFile = join(folder, 'key')
  await writeFile(keyFile, KEY, { mode: 0o600 })
  const tables: string[] = []
  for (const [name, fake] of fakes) {
    const served = await serveFake(fake, 0, (request, answer) => {
      if (request.url.includes('/usage-queue')) pops.get(name)?.push(called)
      return answer()
    })
    cleanUp.push(() => served.close())
    tables.push(
      `[[upstream]]\nname = "${name}"\nurl = "${served.url}"\nmanagement_key_file = "${keyFile}"\nrefresh_seconds = 5\nusage_source = "queue"\n`,
    )
  }
  const upstreamsFile = join(folder, 'upstreams.toml')
  await writeFile(upstreamsFile, tables.join('\n'))
  const service = await startService({
    where: 'program',
    env: { SVC_QUOTA_MONITOR_UPSTREAMS_FILE: upstreamsFile },
    flags: {
      config: 'off',
      'state-db': server.address(database),
      port: String(await freePort()),
    },
  })
  cleanUp.push(() => service.stop('SIGKILL'))
  return service
}

const read = (sql: string) => server.sql(sql, database).catch(() => '')
/** For how many proxies each monitor acts, as in `3|3`. */
const shares = () =>
  read(
    `SELECT string_agg(acts::text, '|' ORDER BY acts) FROM (SELECT count(*) AS acts FROM svc_quota_monitor.leases
     WHERE name LIKE 'proxy/%' AND expires_at > clock_timestamp() GROUP BY holder) AS by_holder`,
  )
const spread = (expected: string) =>
  eventually(`the proxies are spread ${expected}`, async () => (await shares()) === expected)

it('six proxies end with three each when the second monitor comes later, and nothing is lost on the way', async () => {
  await monitor('first')
  await spread('6')
  let sent = 0
  const sending = setInterval(() => {
    for (const fake of fakes.values()) {
      sent += 1
      fake.usage.record({ at: now(), source: `request-${sent}`, authIndex: `${sent}` })
    }
  }, 200)
  cleanUp.push(() => clearInterval(sending))
  await monitor('second')
  await spread('3|3')
  await eventually('the second takes usage', async () => {
    const taking = [...pops.values()].filter((names) => names.includes('second'))
    return taking.length === 3
  })
  clearInterval(sending)
  await eventually(
    'every request is stored',
    async () => Number(await read('SELECT count(*) FROM svc_quota_monitor.usage')) === sent,
  )

  expect(await read('SELECT count(*) FROM svc_quota_monitor.gaps')).toBe('0')
  // One after the other: who has handed a proxy over takes nothing any more.
  for (const names of pops.values())
    expect(names.lastIndexOf('first')).toBeLessThan(
      names.includes('second') ? names.indexOf('second') : names.length,
    )
})
