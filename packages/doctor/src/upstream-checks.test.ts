import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { connectResp } from '@svc/collector'
import { configWith, type SettingsByName } from '@svc/config/testing'
import { plusMs } from '@svc/core'
import { Redacted } from '@svc/core/service'
import { fixedClock, fromNow, NOW } from '@svc/core/testing'
import {
  aFakeAccount,
  answerResp,
  createFakeUpstream,
  type FakeSettings,
  type FakeUpstream,
  fetchOf,
} from '@svc/fake-proxy'
import { actionConditions, noAccountsWords, sourceRemedy } from '@svc/views/messages'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunningService } from './running-service.ts'
import { upstreamChecks } from './upstream-checks.ts'

const KEY = 'canary-management-key'

/** The findings about a proxy with one account, set up by `prepare`. */
async function checked(
  prepare: (fake: FakeUpstream) => void = () => undefined,
  {
    key = KEY,
    skewSeconds = 0,
    settings = {},
    service = null,
    connectResp,
  }: {
    readonly key?: string | null
    readonly skewSeconds?: number
    readonly settings?: Partial<SettingsByName>
    readonly service?: RunningService | null
    readonly connectResp?: Parameters<typeof upstreamChecks>[1]['connectResp']
  } = {},
) {
  const fake = createFakeUpstream({
    now: () => plusMs(NOW, skewSeconds * 1000),
    managementKey: KEY,
    accounts: [aFakeAccount({ name: 'ana' })],
  })
  prepare(fake)
  const config = configWith({
    upstreamUrl: 'http://127.0.0.1:8317',
    gatewayHealthUrl: 'http://127.0.0.1:8317/healthz',
    managementKey: key === null ? null : new Redacted(key),
    managementKeyFile: null,
    ...settings,
  })
  const deps = {
    clock: fixedClock(),
    fetch: fetchOf(fake),
    env: {},
    name: 'default',
    service: Promise.resolve(service),
    ...(connectResp === undefined ? {} : { connectResp }),
  }
  return { fake, ...(await upstreamChecks(config, deps, new AbortController().signal)) }
}

const management = async (...how: Parameters<typeof checked>) =>
  (await checked(...how)).verdicts['upstream.management']

it.each([
  { pluginSupport: '0', status: 'skip', detail: 'this build of the proxy cannot load any' },
  { pluginSupport: null, status: 'skip', detail: 'the proxy does not say, so it is from before' },
] as const)(
  'of plugins the proxy tells $pluginSupport',
  async ({ pluginSupport, status, detail }) => {
    const { verdicts } = await checked(({ settings }) => {
      settings.pluginSupport = pluginSupport
    })

    expect(verdicts['upstream.plugins']).toMatchObject({
      status,
      detail: expect.stringContaining(detail),
    })
  },
)

const SCHEDULER = { name: 'quota-scheduler', version: '0.1.0' }
const IN_USE = {
  pluginsEnabled: true,
  plugins: [{ id: 'quota-scheduler', enabled: true, metadata: SCHEDULER }],
}
const aService = (schedulers: RunningService['schedulers']): RunningService => ({
  state: 'good',
  summary: '',
  actionCodes: [],
  pages: null,
  hasStore: null,
  schedulers,
})
const question = (
  upstream: string | null,
  seconds: number,
  state: RunningService['schedulers'][number]['state'] = 'routes',
) => ({ upstream, askedAt: fromNow(seconds), state })

it.each<
  readonly [
    what: string,
    set: Partial<FakeSettings>,
    service: RunningService | null,
    verdict: string,
    detail: string,
  ]
>([
  [
    'none is installed',
    { plugins: [{ id: 'other', enabled: true, metadata: null }] },
    null,
    'ok ok',
    'it can load the plugin that routes by the ranking, which is not installed',
  ],
  [
    'the proxy loads none',
    { plugins: [{ id: 'quota-scheduler', enabled: true, metadata: null }] },
    null,
    'warn off',
    'the plugin that routes by the ranking is installed, and the proxy loads no plugins',
  ],
  [
    'it is switched off',
    {
      pluginsEnabled: true,
      plugins: [{ id: 'quota-scheduler', enabled: false, metadata: SCHEDULER }],
    },
    null,
    'ok off',
    'the plugin that routes by the ranking, 0.1.0, is switched off',
  ],
  [
    'it was not loaded',
    { pluginsEnabled: true, plugins: [{ id: 'quota-scheduler', enabled: true, metadata: null }] },
    aService([question(null, -2)]),
    'warn not_loaded',
    'the plugin that routes by the ranking is switched on, and the proxy has not loaded it',
  ],
  [
    'it is in use, and no service runs',
    { pluginsEnabled: true, plugins: [{ id: 'renamed', enabled: true, metadata: SCHEDULER }] },
    null,
    'ok ok',
    'the plugin that routes by the ranking, 0.1.0, is in use; whether it asks, only the running service can tell',
  ],
  [
    'it is in use, and asks',
    IN_USE,
    aService([question('tokyo', -1), question('default', -4), question(null, -40)]),
    'ok ok',
    'the plugin that routes by the ranking, 0.1.0, is in use, and last asked 4 s ago',
  ],
  [
    'it is in use, and does not ask',
    IN_USE,
    aService([question('tokyo', -1)]),
    'warn not_asking',
    'the plugin that routes by the ranking, 0.1.0, is in use, and has not asked this service since its start',
  ],
  [
    'it is in use, and another plugin comes first',
    {
      pluginsEnabled: true,
      plugins: [
        { id: 'affinity', enabled: true, metadata: { name: 'affinity', version: '1' } },
        { id: 'quota-scheduler', enabled: true, metadata: SCHEDULER },
      ],
    },
    aService([question(null, -4, 'not_consulted')]),
    'warn not_consulted',
    'the plugin that routes by the ranking, 0.1.0, is in use. Follows the ranking, and the proxy routes requests without it: another scheduler plugin comes first. Also in use: affinity.',
  ],
  [
    'it is in use, and names a proxy that is not watched',
    IN_USE,
    aService([question('osaka', -4, 'refused_upstream')]),
    'warn refused_upstream',
    'the plugin that routes by the ranking, 0.1.0, is in use. Its questions are refused: its setting upstream names a proxy that is not watched.',
  ],
])('where %s, that is said of plugins', async (_, set, service, verdict, detail) => {
  const { verdicts } = await checked(
    ({ settings }) => void Object.assign(settings, { pluginSupport: '1' }, set),
    { service },
  )

  const [status, code] = verdict.split(' ')
  expect(verdicts['upstream.plugins']).toMatchObject({ status, code, detail })
})

it('a list of plugins that cannot be read is a warning with its cause', async () => {
  const { verdicts } = await checked(({ settings, setFault }) => {
    settings.pluginSupport = '1'
    setFault('other', { kind: 'status', status: 500 })
  })

  expect(verdicts['upstream.plugins']).toMatchObject({ status: 'warn', code: 'server_error' })
})

describe('the account list', () => {
  it('is counted by provider, and says whose vendors are asked', async () => {
    const { verdicts } = await checked(({ add }) => {
      add(aFakeAccount({ name: 'ben' }))
      add(aFakeAccount({ name: 'cyd', provider: 'nobody' }))
    })

    expect(verdicts['upstream.management']).toMatchObject({
      status: 'ok',
      detail: 'the key is accepted; 2 Codex, 1 Nobody accounts',
    })
    expect(verdicts['upstream.providers']).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^2 Codex: asked for quota; 1 Nobody: not asked, no query /),
    })
  })

  it('without accounts has the remedy that health has', async () => {
    expect(await management(({ accounts }) => void accounts.splice(0))).toMatchObject({
      status: 'warn',
      code: 'no_accounts',
      hint: noAccountsWords.remedy,
    })
  })

  it.each([
    { status: 403, code: 'forbidden' },
    { status: 404, code: 'unsupported' },
    { status: 500, code: 'server_error' },
    { status: 418, code: 'unexpected_status' },
  ] as const)('that is answered with $status has the remedy of $code', async ({ status, code }) => {
    const verdict = await management(({ setFault }) =>
      setFault('auth-files', { kind: 'status', status }),
    )

    expect(verdict).toMatchObject({ status: 'fail', code, hint: sourceRemedy('accounts', code) })
  })

  it('of a proxy whose management is off has the remedy of that', async () => {
    const verdict = await management(({ settings }) => {
      settings.management = 'disabled'
    })

    expect(verdict).toMatchObject({
      code: 'management_disabled',
      hint: 'Set remote-management.secret-key on the proxy (management.secret-key with config-version: 8), or correct upstream_url; a node of a Home has none.',
    })
  })

  it('that a wrong key asked for warns not to ask again, then says the remedy of health', async () => {
    const { fake, verdicts } = await checked(undefined, { key: 'canary-wrong' })

    expect(verdicts['upstream.management']).toMatchObject({
      code: 'unauthorized',
      hint: `Do not repeat this check with the same key. ${sourceRemedy('accounts', 'unauthorized')}`,
    })
    expect(fake.stats.failedAttempts).toBe(1)
    expect(JSON.stringify(verdicts)).not.toContain('canary')
  })
})

describe('what is asked', () => {
  const routesOf = ({ requests }: FakeUpstream) => requests.map(({ route }) => route)

  it.each<{
    readonly what: string
    readonly how: Parameters<typeof checked>[1]
    readonly asked: readonly string[]
    readonly cause: string
  }>([
    {
      what: 'no key',
      how: { key: null },
      asked: ['healthz'],
      cause: 'management_key',
    },
    {
      what: 'a refused key',
      how: { key: 'canary-wrong' },
      // The list under v8, which v7 answers without a check of the key.
      asked: ['auth-files', 'healthz', 'other'],
      cause: 'upstream.management',
    },
    {
      what: 'an address that cannot be right',
      how: { settings: { upstreamUrl: 'http://127.0.0.1:8317/v0/management' } },
      asked: [],
      cause: 'upstream.address',
    },
  ])('with $what the rest is skipped, and says why', async ({ how, asked, cause }) => {
    const { fake, verdicts } = await checked(undefined, how)

    expect(routesOf(fake).sort()).toEqual(asked)
    expect(verdicts['upstream.version']).toMatchObject({ status: 'skip' })
    expect(verdicts['upstream.usage']?.detail).toContain(cause)
  })
})

describe('the way of usage', () => {
  /** Connects to a port of its own, which this answers. */
  const at =
    (onSocket: (socket: Socket) => void): typeof connectResp =>
    async (_url, call, clock) => {
      const server = createServer(onSocket).listen(0, '127.0.0.1')
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      return connectResp(`http://127.0.0.1:${port}`, call, clock)
    }
  const answering = at((socket) =>
    answerResp(createFakeUpstream({ now: () => NOW, managementKey: KEY }), socket),
  )
  const absent = at((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n')),
  )
  it.each([
    [
      'auto',
      answering,
      'ok',
      'usage_source is auto: the queue is read over RESP, or subscribed to',
    ],
    ['queue', answering, 'ok', 'usage_source is queue: the queue is read over RESP'],
    ['subscribe', answering, 'ok', 'usage is subscribed to over RESP'],
    [
      'auto',
      absent,
      'ok',
      'RESP is not to be had (the answer is not RESP): the queue is read over',
    ],
    ['subscribe', absent, 'warn', 'RESP is not to be had (the answer is not RESP): the queue is'],
  ] as const)('%s', async (usageSource, connectResp, status, detail) => {
    const settings = { usageSource, stateDb: '/var/lib/history.db' }
    const { verdicts } = await checked(undefined, { settings, connectResp })

    expect(verdicts['upstream.usage']).toMatchObject({
      status,
      detail: expect.stringContaining(detail),
    })
  })
})

describe('the clock of the proxy', () => {
  it.each([
    [0, 'ok', 'they agree'],
    [30, 'ok', '30 s apart'],
    [-30, 'ok', '30 s apart'],
    [31, 'warn', "the clock of the proxy is 31 s ahead of this machine's"],
    [-31, 'warn', "the clock of the proxy is 31 s behind this machine's"],
    [86_400, 'warn', "the clock of the proxy is 86400 s ahead of this machine's"],
    [-86_401, 'fail', "the clock of the proxy is 24 h behind this machine's"],
  ])('$0 s off is $1', async (skewSeconds, status, detail) => {
    const { verdicts } = await checked(undefined, { skewSeconds })

    expect(verdicts['upstream.clock']).toMatchObject({ status, detail })
    if (status !== 'ok')
      expect(verdicts['upstream.clock']?.hint).toContain(actionConditions.clock_doubted.remedy)
  })
})

describe('the way to the proxy', () => {
  it('a gateway that answers 503 has the remedy that health has', async () => {
    const { verdicts } = await checked(({ setFault }) =>
      setFault('healthz', { kind: 'status', status: 503 }),
    )

    expect(verdicts['upstream.health']?.hint).toBe(actionConditions.gateway_down.remedy)
  })
})
