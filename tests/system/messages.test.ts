import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { aFakeAccount, type FakeUpstream } from '@svc/fake-proxy'
import { ownDatabases, whyNoPostgres } from '@svc/history/testing'
import type { Health } from '@svc/views'
import { afterAll, expect, it, type TestContext } from 'vitest'
import { eventually, pause } from '../../tooling/eventually.ts'
import {
  MANAGEMENT_KEY,
  type ProxiedService,
  startService,
} from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { ownStore } from './own-store.ts'

/** Service seconds in one real second; fewer where a lease is renewed against the clock of a database. */
const FACTOR = paceOfBusyMachine(20)
const FACTOR_OF_PAIR = paceOfBusyMachine(8)

const databases = ownDatabases()
afterAll(() => databases.remove())

interface Receiver {
  readonly url: string
  /** Status and alerts of each message, as in `firing: QuotaAuthInvalid`. */
  readonly got: readonly string[]
}

type Manner = 'answers' | 'never answers' | 'drips'

/** A receiver of Alertmanager's payload. */
async function receiver(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  manner: Manner = 'answers',
): Promise<Receiver> {
  const got: string[] = []
  const drip = ({ socket }: ServerResponse) => {
    const rest = [...'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n']
    const timer = setInterval(() => socket?.write(rest.shift() ?? ''), 1_000)
    socket?.on('close', () => clearInterval(timer))
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { status, alerts } = JSON.parse(body)
    got.push(`${status}: ${alerts.map(({ labels }: Alert) => labels.alertname).join(' ')}`)
    if (manner === 'answers') response.end()
    if (manner === 'drips') drip(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got }
}

interface Alert {
  readonly labels: Readonly<Record<string, string>>
}

/** Tables of the configuration for these receivers, whose addresses are written into the folder. */
function tablesOf(folder: string, receivers: readonly Receiver[]): string {
  return receivers
    .map(({ url }, index) => {
      const file = join(folder, `address-${index}`)
      writeFileSync(file, `${url}\n`, { mode: 0o600 })
      return `[[notify]]\nname = "r${index}"\nkind = "webhook"\nurl_file = "${file}"\non = ["action", "recovered"]\nmin_tone = "bad"\n`
    })
    .join('\n')
}

/** The login of the first account is refused. */
const refuseLogin = ({ accounts: [ana], setVendor }: FakeUpstream) => {
  if (ana !== undefined) setVendor(ana, 'token_invalidated')
}
const codesOf = async (live: Pick<ProxiedService, 'json'>) =>
  (await live.json<Health>('/api/v1/health')).actions.map(({ code }) => code)
/** Longer than a new action takes to be told. */
const minutes = (count: number, factor: number) => pause((count * 60_000) / factor)

it('a gateway away for seconds just after a start, and after a restart, is no message', async (context) => {
  const store = ownStore(context)
  const phone = await receiver(context)
  let live = await startService({
    where: 'here',
    time: acceleratedClock({ factor: FACTOR }),
    accounts: [aFakeAccount({ name: 'ana' })],
    flags: { 'state-db': store.path, 'refresh-seconds': '5' },
    configText: tablesOf(store.folder, [phone]),
  })
  store.use(live)
  for (const start of ['first', 'second']) {
    if (start === 'second') {
      live = await live.restart()
      store.use(live)
    }
    await eventually('it is up', async () => (await codesOf(live)).length === 0)
    live.fake.settings.healthz = false
    await eventually('it is away', async () => (await codesOf(live)).includes('gateway_down'))
    await pause(8_000 / FACTOR)
    live.fake.settings.healthz = true
    await eventually('it is back', async () => !(await codesOf(live)).includes('gateway_down'))
    await minutes(2.5, FACTOR)
  }

  expect(phone.got).toEqual([])
})

it('a service that is started again tells nothing twice, and what is over once', async (context) => {
  const store = ownStore(context)
  const phone = await receiver(context)
  let live = await startService({
    where: 'here',
    time: acceleratedClock({ factor: FACTOR }),
    accounts: [aFakeAccount({ name: 'ana' }), aFakeAccount({ name: 'bob' })],
    flags: { 'state-db': store.path, 'history-write-seconds': '15' },
    configText: tablesOf(store.folder, [phone]),
    prepare: refuseLogin,
  })
  store.use(live)
  await eventually('it is told', () => phone.got.length > 0)
  const sinceOf = async () =>
    (await live.json<Health>('/api/v1/health')).actions.map(({ code, since }) => [code, since])
  const since = await sinceOf()
  for (let start = 0; start < 2; start += 1) {
    live = await live.restart()
    store.use(live)
    await eventually('the action is open', async () =>
      (await codesOf(live)).includes('auth_invalid'),
    )
    await minutes(3, FACTOR)
    expect(await sinceOf()).toEqual(since)
  }
  expect(phone.got).toEqual(['firing: QuotaAuthInvalid'])
  const [ana] = live.fake.accounts
  if (ana !== undefined) live.fake.disable(ana)
  await eventually('its end is told', () => phone.got.length > 1)
  await minutes(3, FACTOR)

  expect(phone.got).toEqual(['firing: QuotaAuthInvalid', 'resolved: QuotaAuthInvalid'])
  const { messages } = await live.json<Health>('/api/v1/health')
  expect(messages).toMatchObject([{ name: 'r0', sentCount: 2, tone: 'good', failure: null }])
})

it('receivers that never answer, or a byte a second, hold up neither evaluations nor reads nor others', async (context) => {
  const store = ownStore(context)
  const receivers = [
    await receiver(context, 'never answers'),
    await receiver(context, 'drips'),
    await receiver(context),
  ]
  const live = await startService({
    where: 'here',
    time: acceleratedClock({ factor: FACTOR }),
    accounts: [aFakeAccount({ name: 'ana' }), aFakeAccount({ name: 'bob' })],
    configText: tablesOf(store.folder, receivers),
    prepare: refuseLogin,
  })
  store.use(live)
  const healthNow = () => live.json<Health>('/api/v1/health')
  await eventually('all are told', () => receivers.every(({ got }) => got.length > 0))
  await eventually('two fail, and one has it', async () => {
    const { messages = [] } = await healthNow()
    return messages.map(({ failure }) => failure).join() === 'timeout,timeout,'
  })
  const { sampledAt } = await healthNow()
  await eventually('the pool is read and evaluated', async () => {
    expect((await fetch(`${live.url}/healthz`)).status).toBe(200)
    return (await healthNow()).sampledAt !== sampledAt
  })
  const sent = 'svc_quota_monitor_notifications_total{target="r2",result="sent"}'
  expect(await live.metric(sent)).toBe(1)
})

it('of two monitors one tells, and who takes over goes on from there', async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  const server = await databases.server()
  const database = await server.createDatabase()
  const { folder } = ownStore(context)
  const phone = await receiver(context)
  const options = {
    where: 'here',
    time: acceleratedClock({ factor: FACTOR_OF_PAIR }),
    flags: { 'state-db': server.address(database), 'history-write-seconds': '5' },
    configText: tablesOf(folder, [phone]),
  } as const
  const first = await startService({
    ...options,
    accounts: [aFakeAccount({ name: 'ana' }), aFakeAccount({ name: 'bob' })],
    prepare: refuseLogin,
  })
  const closing: (() => Promise<unknown>)[] = [first.stop]
  context.onTestFinished(async () => {
    for (const close of closing.splice(0)) await close()
  })
  const asking = { ...options.flags, 'upstream-url': first.served.url }
  const second = await startService({ ...options, key: MANAGEMENT_KEY, flags: asking })
  closing.unshift(second.stop)
  await eventually('it is told', () => phone.got.length > 0)
  await first.pause()
  await eventually('the second acts', async () => {
    const leader = 'svc_quota_monitor_leader{upstream="default"}'
    return (await second.metric(leader)) === 1
  })
  await minutes(2.5, FACTOR_OF_PAIR)

  expect(phone.got).toEqual(['firing: QuotaAuthInvalid'])
  const { messages } = await second.json<Health>('/api/v1/health')
  expect(messages).toMatchObject([{ sentCount: 1, tone: 'good' }])
})
