import { createServer } from 'node:net'
import { PROXY_URL, row, type SetUp, type SetUpRow, SOUND, type World } from './world.ts'

const on = (host: string, more: readonly string[] = []): SetUp => ({
  argv: ['--host', host, ...more],
})
const allowed = (hosts: string): SetUp => ({ argv: ['--allowed-host', hosts] })

/** Simulates a running service with this report; `actions` are the codes of its open actions, null for a version without them. */
export async function aService(
  world: World,
  {
    state = 'good',
    summary = 'Nothing to do.',
    actions = [],
    sources,
  }: {
    readonly state?: string
    readonly summary?: string
    readonly actions?: readonly string[] | null
    /** Sources in its answer; left out: the answer has none, as of an old version. */
    readonly sources?: readonly object[]
  },
): Promise<number> {
  const answers: Readonly<Record<string, string>> = {
    '/healthz': '{"ok":true}',
    '/api/v1/health': JSON.stringify({
      state,
      summary,
      actions: actions?.map((code) => ({ code })) ?? [{ badge: 'Down' }],
      ...(sources === undefined ? {} : { sources }),
    }),
  }
  return await world.serve((request, response) => response.end(answers[request.url ?? ''] ?? ''))
}

/** Sources of a service that watches a proxy with this page of its own. */
const watching = (pageUrl: string, history: object = { code: 'ok' }) => [
  { id: 'accounts', pageUrl },
  { id: 'history', ...history },
]
const OURS = `${PROXY_URL}/management.html`
const TAKEN = 'fail bind another_monitor'

export const listenerSetUps: readonly SetUpRow[] = [
  row('a listener by the name localhost', SOUND, on('localhost')),
  row('a service that runs', SOUND, async (world) => ({ port: await aService(world, {}) })),
  row('a service that runs in a version that gives its actions no codes', SOUND, async (world) => ({
    port: await aService(world, { actions: null }),
  })),
  row('a service that runs and needs somebody', 'warn service bad', async (world) => ({
    port: await aService(world, {
      state: 'bad',
      summary: 'Gateway is down.',
      actions: ['gateway_down'],
    }),
  })),
  row(
    'a service that runs beside a second reader of the queue',
    ['warn upstream.queue_rival usage_rival', 'warn service warn'],
    async (world) => ({
      port: await aService(world, {
        state: 'warn',
        summary: 'Usage goes elsewhere.',
        actions: ['usage_rival'],
      }),
    }),
  ),
  row('a service that runs and watches this proxy', SOUND, async (world) => ({
    port: await aService(world, { sources: watching(OURS) }),
  })),
  row('a port that a monitor of another proxy listens on', TAKEN, async (world) => ({
    port: await aService(world, {
      state: 'bad',
      actions: ['gateway_down'],
      sources: watching('http://127.0.0.1:2/management.html'),
    }),
  })),
  row('a port that the demo listens on', TAKEN, async (world) => ({
    port: await aService(world, { sources: [{ id: 'accounts' }, { id: 'history' }] }),
  })),
  row('a port that a monitor of more proxies listens on', TAKEN, async (world) => ({
    port: await aService(world, {
      sources: [...watching(OURS), { id: 'accounts@b', pageUrl: 'http://b.test/' }],
    }),
  })),
  row('a port that a monitor of this proxy without a store listens on', TAKEN, async (world) => ({
    port: await aService(world, { sources: watching(OURS, { reason: 'no_store' }) }),
    argv: ['--state-db', 'history.db'],
  })),
  row(
    'a port that a monitor of this proxy with another store listens on',
    TAKEN,
    async (world) => ({
      port: await aService(world, { sources: watching(OURS) }),
      argv: ['--state-db', 'history.db'],
    }),
  ),
  row('a service that runs and cannot open its store', 'warn service bad', async (world) => ({
    port: await aService(world, {
      state: 'bad',
      actions: ['history_failing'],
      sources: watching(OURS),
    }),
    argv: ['--state-db', 'history.db'],
  })),
  row(
    'a port on which something listens that does not answer',
    'fail bind not_answering',
    async (world) => ({
      port: await world.listen(createServer()),
    }),
  ),
  row(
    'a port on which something listens that never ends its answer',
    'fail bind not_answering',
    async (world) => ({
      port: await world.serve((_, response) => void response.write('{')),
    }),
  ),
  row(
    'a service that is alive and does not tell its health',
    'fail bind not_answering',
    async (world) => ({
      port: await world.serve((request, response) => {
        if (request.url === '/healthz') response.end('{"ok":true}')
      }),
    }),
  ),
  row('a port that another program listens on', 'fail bind in_use', async (world) => ({
    port: await world.listen(createServer((socket) => socket.end('SSH-2.0-x\r\n'))),
  })),
  row('a port that another web server listens on', 'fail bind in_use', async (world) => ({
    port: await world.serve((_, response) => response.end('{"ok":true}')),
  })),
  row(
    'an address of another machine',
    ['fail bind foreign_address', 'warn listen_risk open_listener'],
    on('192.0.2.1'),
  ),
  row('a listener on every network', 'warn listen_risk open_listener', on('0.0.0.0')),
  row(
    'a listener on every network under a name',
    'warn listen_risk open_listener',
    on('0.0.0.0', ['--allowed-host', 'quota.example.com']),
  ),
  row(
    'a listener on every network with an open refresh',
    'warn listen_risk open_refresh',
    on('0.0.0.0', ['--manual-quota-refresh-auth', 'none']),
  ),
  row('an open refresh on this machine', SOUND, { argv: ['--manual-quota-refresh-auth', 'none'] }),
  row(
    'names behind a reverse proxy',
    SOUND,
    allowed('quota.example.com,quota.example.com:8443,monitor,[fd00::1]:8443'),
  ),
  row('a public suffix as allowed host', 'warn allowed_hosts public_suffix', allowed('co.uk')),
  row(
    'a suffix of shared hosting as allowed host',
    'warn allowed_hosts public_suffix',
    allowed('quota.example.com,github.io'),
  ),
]
