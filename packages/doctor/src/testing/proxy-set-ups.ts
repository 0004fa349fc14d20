import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  aFakeAccount,
  type FakeFault,
  type FakeRoute,
  type FakeSettings,
  type FakeUpstream,
} from '@svc/fake-proxy'
import { row, type SetUp, type SetUpRow, SOUND, type World } from './world.ts'

const health = (code: string) => `fail upstream.health ${code}`
const management = (code: string) => `fail upstream.management ${code}`
const both = (code: string) => [health(code), management(code)]

const faulty = (route: FakeRoute, fault: FakeFault): SetUp => ({
  proxy: (fake) => fake.setFault(route, fault),
})
const answers = (route: FakeRoute, status: number) => faulty(route, { kind: 'status', status })
const set = (changes: Partial<FakeSettings>): SetUp => ({
  proxy: ({ settings }) => void Object.assign(settings, changes),
})
const at = (url: string): SetUp => ({ argv: ['--upstream-url', url] })
const answering = (
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | null = null,
): NonNullable<SetUp['front']> => {
  return () => new Response(body, { status, headers })
}
const onlyManagement =
  (answer: NonNullable<SetUp['front']>): NonNullable<SetUp['front']> =>
  (request) =>
    request.url.includes('/v0/management') ? answer(request) : null
const BASIC = { 'www-authenticate': 'Basic realm="proxy"' }
const HTML = { 'content-type': 'text/html; charset=utf-8' }

const aMonitor: RequestListener = ({ url }, response) => {
  const body =
    url === '/healthz'
      ? { ok: true }
      : url === '/api/v1/health'
        ? { state: 'good', actions: [] }
        : null
  response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body ?? { ok: false, status: 'not_found' }))
}

export const proxySetUps: readonly SetUpRow[] = [
  row('a proxy of another machine over https', SOUND, at('https://proxy.example')),
  row('a proxy below a path', SOUND, at('http://127.0.0.1:1/')),
  row('a proxy that drops every connection', both('unreachable'), {
    proxy(fake) {
      for (const route of ['healthz', 'auth-files'] as const) fake.setFault(route, { kind: 'drop' })
    },
  }),
  row('a proxy that is not running', both('connection_refused'), async (world) =>
    at(`http://127.0.0.1:${await world.freePort()}`),
  ),
  row('a proxy whose name is unknown', both('dns'), {
    ...at('https://proxy.invalid'),
    front: unresolved,
  }),
  row('a gateway that answers 503', health('server_error'), answers('healthz', 503)),
  row('a gateway that answers 429', health('throttled'), answers('healthz', 429)),
  row('a gateway that answers 405', health('unexpected_status'), answers('healthz', 405)),
  row('a proxy by an address to listen on', 'warn upstream.address unspecified_address', {
    ...at('http://0.0.0.0:8317'),
  }),
  row('a proxy by an address of IPv6 to listen on', 'warn upstream.address unspecified_address', {
    ...at('http://[::]:8317'),
  }),
  row('a proxy by a loopback address of IPv4 in IPv6', SOUND, at('http://[::ffff:127.0.0.1]:8317')),
  row(
    'its own address by one to listen on as the proxy',
    'fail upstream.address own_port',
    (world) => ownPort(world, '0.0.0.0'),
  ),
  row('certificates that nobody checks', 'warn upstream.transport certificates_unchecked', {
    ...at('https://proxy.example'),
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  }),
  row(
    'certificates that nobody checks, beside a proxy of this machine',
    'warn upstream.transport certificates_unchecked',
    {
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    },
  ),
  row('certificates that are checked by name of the variable', SOUND, {
    ...at('https://proxy.example'),
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '1' },
  }),
  row('a gateway without /healthz', health('not_found'), set({ healthz: false })),
  row(
    'a gateway that redirects',
    health('redirected'),
    faulty('healthz', { kind: 'status', status: 302, headers: { location: '/login' } }),
  ),
  row('a wrong key', management('unauthorized'), {
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'wrong' },
  }),
  row('an address that is banned', management('banned'), { proxy: ban }),
  row(
    'management refused from here',
    management('forbidden'),
    set({ management: 'remote_refused' }),
  ),
  row(
    'management switched off',
    management('management_disabled'),
    set({ management: 'disabled' }),
  ),
  row(
    'a list that is no JSON',
    management('bad_payload'),
    faulty('auth-files', { kind: 'garbage' }),
  ),
  row(
    'a list that is something else',
    management('bad_payload'),
    faulty('auth-files', { kind: 'wrong_root' }),
  ),
  row(
    'an empty list answer',
    management('bad_payload'),
    faulty('auth-files', { kind: 'body', body: '' }),
  ),
  row('a list that answers 500', management('server_error'), answers('auth-files', 500)),
  row('a proxy that asks for fewer calls', management('throttled'), answers('auth-files', 429)),
  row('a login in front of everything', both('login_in_front'), {
    front: answering(401, { ...BASIC, ...HTML }, '<h1>401</h1>'),
  }),
  row('a login in front of the management API', management('login_in_front'), {
    front: onlyManagement(answering(401, BASIC)),
  }),
  row('a digest login in front', both('login_in_front'), {
    front: answering(401, { 'www-authenticate': 'Digest realm="x"' }),
  }),
  row('a login page in front', both('redirected'), {
    front: answering(302, { location: 'https://login.example/?next=secret' }),
  }),
  row('a redirect to https', both('redirected'), {
    ...at('http://127.0.0.1:1'),
    front: ({ url }) =>
      new Response(null, {
        status: 301,
        headers: { location: url.replace('http://127.0.0.1:1', 'https://proxy.example') },
      }),
  }),
  row('a web page where the proxy should be', management('web_page'), {
    front: answering(200, HTML, '<h1>hello</h1>'),
  }),
  row('a firewall page with 403', both('web_page'), {
    front: answering(403, { ...HTML, 'cf-mitigated': 'challenge' }, '<h1>no</h1>'),
  }),
  row('a reverse proxy that denies everything from here', both('forbidden_in_front'), {
    front: answering(403, {}),
  }),
  ...['/v1', '/v1/chat/completions', '/v0/management', '/v0/management/', '/v8/management'].map(
    (path) =>
      row(
        `${path} at the end of the address`,
        'fail upstream.address path_in_url',
        at(`http://127.0.0.1:1${path}`),
      ),
  ),
  row('a proxy of v6', SOUND, { proxy: (fake) => fake.become('v6') }),
  row('a proxy of v8', SOUND, { proxy: (fake) => fake.become('v8') }),
  row('a proxy of v8 without the routes of v0', SOUND, {
    proxy: (fake) => fake.become('v8-only'),
  }),
  row('a Home', management('home'), { proxy: (fake) => fake.become('home') }),
  row(
    'the management page as the address',
    'fail upstream.address path_in_url',
    at('http://127.0.0.1:1/management.html'),
  ),
  row('its own address as the proxy', 'fail upstream.address own_port', (world) =>
    ownPort(world, '127.0.0.1'),
  ),
  row('its own address by another name as the proxy', 'fail upstream.address own_port', (world) =>
    ownPort(world, 'localhost'),
  ),
  row(
    'another quota monitor where the proxy should be',
    management('another_monitor'),
    async (world) => at(`http://127.0.0.1:${await world.serve(aMonitor)}`),
  ),
  row('https on a port that speaks http', both('speaks_no_tls'), async (world) =>
    at(`https://127.0.0.1:${await world.serve((_, response) => response.end('{}'))}`),
  ),
  row('http on a port that speaks TLS', both('speaks_tls'), async (world) =>
    at(`http://127.0.0.1:${await tlsPort(world, {})}`),
  ),
  row('a certificate of an own authority', both('certificate_unknown_authority'), async (world) =>
    at(`https://localhost:${await tlsPort(world, {})}`),
  ),
  row(
    'an own authority whose file is gone',
    'warn upstream.transport extra_ca_unreadable',
    ({ at: pathOf }) => ({
      ...at('https://proxy.example'),
      env: { NODE_EXTRA_CA_CERTS: pathOf('gone.pem') },
    }),
  ),
  row('an own authority whose file is there', SOUND, ({ file }) => ({
    ...at('https://proxy.example'),
    env: { NODE_EXTRA_CA_CERTS: file('ca.pem', '-----BEGIN CERTIFICATE-----\n') },
  })),
  row(
    'an own authority whose file holds no certificate',
    'warn upstream.transport extra_ca_no_certificate',
    ({ file }) => ({
      ...at('https://proxy.example'),
      env: { NODE_EXTRA_CA_CERTS: file('ca.der', new Uint8Array([0x30, 0x82])) },
    }),
  ),
  row('a certificate that has expired', both('certificate_expired'), async (world) =>
    at(`https://localhost:${await tlsPort(world, { days: -1 })}`),
  ),
  row(
    'plain http to another machine',
    'warn upstream.transport plain_http',
    at('http://192.0.2.1:8317'),
  ),
  row(
    'a proxy that takes 6 s',
    'warn upstream.management slow',
    faulty('auth-files', { kind: 'delay', delayMs: 6_000 }),
  ),
  row(
    'a gateway that takes 5 s',
    'warn upstream.health slow',
    faulty('healthz', { kind: 'delay', delayMs: 5_000 }),
  ),
  row('a proxy that takes 20 s, where 60 are allowed', 'warn upstream.management slow', {
    ...faulty('auth-files', { kind: 'delay', delayMs: 20_000 }),
    argv: ['--upstream-timeout-seconds', '60'],
  }),
  row(
    'a proxy that takes longer than is allowed',
    management('timeout'),
    faulty('auth-files', { kind: 'delay', delayMs: 12_000 }),
  ),
  row(
    'a proxy that sends a byte a second',
    management('timeout'),
    faulty('auth-files', { kind: 'drip' }),
  ),
  row('a proxy without accounts', 'warn upstream.management no_accounts', {
    proxy: ({ accounts }) => void accounts.splice(0),
  }),
  row('a proxy with accounts of another provider alone', SOUND, {
    proxy: ({ accounts }) =>
      void accounts.splice(0, 1, aFakeAccount({ name: 'c', provider: 'claude' })),
  }),
  row('a list with entries that cannot be read', 'warn upstream.management unreadable_entries', {
    ...faulty('auth-files', {
      kind: 'body',
      body: '{"files":[{"name":"codex-a.json","provider":"codex"},7]}',
    }),
  }),
  row(
    'a proxy that does not tell its version',
    'warn upstream.version unknown',
    set({ version: '' }),
  ),
  ...(
    [
      ['ahead', 'warn upstream.clock apart', 600_000],
      ['behind', 'warn upstream.clock apart', -600_000],
      ['two days ahead', 'fail upstream.clock clock_doubted', 172_800_000],
      ['two days behind', 'fail upstream.clock clock_doubted', -172_800_000],
    ] as const
  ).map(([how, expected, clockAheadMs]) =>
    row(`a proxy whose clock is ${how}`, expected, set({ clockAheadMs })),
  ),
  row('a proxy whose clock is a little ahead', SOUND, set({ clockAheadMs: 20_000 })),
]

async function ban(fake: FakeUpstream): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await fake.app.request('/v0/management/auth-files', { headers: { authorization: 'Bearer no' } })
  }
}

function unresolved(): never {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }),
  })
}

async function ownPort(world: World, name: string): Promise<SetUp> {
  const port = await world.freePort()
  return { port, ...at(`http://${name}:${port}`) }
}

/** A server with a self-signed certificate. */
async function tlsPort(world: World, { days = 1 }: { readonly days?: number }): Promise<number> {
  const [key, request, certificate] = [
    world.at('key.pem'),
    world.at('request.pem'),
    world.at('cert.pem'),
  ]
  const names = world.file('names', 'subjectAltName=DNS:localhost')
  const openssl = (command: string, ...files: readonly string[]) =>
    execFileSync('openssl', [...command.split(' '), ...files], { stdio: 'ignore' })
  openssl(
    'req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost',
    ...['-keyout', key, '-out', request],
  )
  openssl(
    `x509 -req -days ${days}`,
    ...['-in', request, '-signkey', key, '-extfile', names, '-out', certificate],
  )
  const server = createTlsServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (_, response) => response.end('{}'),
  )
  world.finally(() => server.closeAllConnections())
  return await world.listen(server)
}
