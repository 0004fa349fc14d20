import { createServer } from 'node:net'
import { row, type SetUp, type SetUpRow, SOUND, type World } from './world.ts'

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
  }: {
    readonly state?: string
    readonly summary?: string
    readonly actions?: readonly string[] | null
  },
): Promise<number> {
  const answers: Readonly<Record<string, string>> = {
    '/healthz': '{"ok":true}',
    '/api/v1/health': JSON.stringify({
      state,
      summary,
      actions: actions?.map((code) => ({ code })) ?? [{ badge: 'Down' }],
    }),
  }
  return await world.serve((request, response) => response.end(answers[request.url ?? ''] ?? ''))
}

/** Set-ups of the listener, of access to it, and of other programs that already listen. */
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
