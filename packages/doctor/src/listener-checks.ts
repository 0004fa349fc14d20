import { lookup } from 'node:dns/promises'
import { connect, createServer, isIP } from 'node:net'
import { type Authority, type Config, isLoopbackHost } from '@svc/config'
import { type CheckVerdict, fail, ok, skip, type Verdicts, warn } from './finding.ts'
import { publicSuffixesOf } from './public-suffix.ts'
import {
  type RunningService,
  rivalVerdict,
  runningServiceAt,
  SILENT,
  serviceVerdict,
  strangerReason,
} from './running-service.ts'

const CONNECT_MS_MAX = 500

/** Whether the service can listen or already does, and who can then reach it. */
export async function listenerChecks(
  config: Config,
  fetch: typeof globalThis.fetch,
): Promise<{
  /** The running service of this configuration; null if there is none. */
  readonly service: RunningService | null
  /** Whether a program that may be the service listens at the address without answering. */
  readonly isSilent: boolean
  readonly verdicts: Verdicts
}> {
  const { server } = config
  const code = await bindErrorOf(server.host, server.port)
  const asked = code === 'EADDRINUSE' ? await runningServiceAt(server, fetch) : null
  const found = asked === SILENT ? null : asked
  const isSilent = asked === SILENT
  const stranger = found === null ? null : await strangerReason(found, config)
  const service = stranger === null ? found : null
  const verdicts: Verdicts = {
    bind: bindVerdict(server, code, { isSilent, stranger, isOurs: service !== null }),
    service: isSilent ? skip(MAY_HANG, 'not_answering') : serviceVerdict(service),
    'upstream.queue_rival': rivalVerdict(service),
    listen_risk: riskVerdict(server),
    allowed_hosts: allowedHostsVerdict(server.allowedHosts),
    localhost: await localhostVerdict(server),
  }
  return { service, isSilent, verdicts }
}

const MAY_HANG = 'something listens and does not answer: it may hang'

function bindVerdict(
  { host, port }: Config['server'],
  code: string | null,
  listening: {
    readonly isSilent: boolean
    readonly stranger: string | null
    readonly isOurs: boolean
  },
): CheckVerdict {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  switch (code) {
    case null:
      return ok(`${address} is free`)
    case 'EADDRINUSE':
      return takenVerdict(address, listening)
    case 'EACCES':
      return fail(
        'not_permitted',
        `this user may not listen on port ${port}`,
        'Choose a port from 1024 on.',
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(
        'foreign_address',
        `${host} is not an address of this machine`,
        'Set host to an address of this machine, or to 127.0.0.1.',
      )
    default:
      return fail(
        'cannot_listen',
        `${address} cannot be listened on (${code})`,
        'Choose another host or port.',
      )
  }
}

function takenVerdict(
  address: string,
  { isSilent, stranger, isOurs }: Parameters<typeof bindVerdict>[2],
): CheckVerdict {
  if (isOurs) return ok(`already running: this service listens on ${address}`, 'already_running')
  if (isSilent)
    return fail(
      'not_answering',
      `${address}: ${MAY_HANG}`,
      'Where it is this service, look at the end of its log and restart it; else stop it, or choose another --port.',
    )
  return stranger === null
    ? fail(
        'in_use',
        `${address} is in use by another program`,
        'Stop it, or choose another --port.',
      )
    : fail(
        'another_monitor',
        `${address} is taken by another monitor: ${stranger}`,
        'Stop it, or choose another --port. Where it is this service as it was before a change of the configuration, restart it.',
      )
}

function bindErrorOf(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown error'))
    server.listen(port, host === 'localhost' ? '127.0.0.1' : host, () =>
      server.close(() => resolve(null)),
    )
  })
}

function riskVerdict({
  host,
  allowedHosts,
  manualQuotaRefreshAuth,
}: Config['server']): CheckVerdict {
  if (isLoopbackHost(host)) return ok('this machine only')
  const who =
    host === '0.0.0.0' || host === '::'
      ? 'every network of this machine'
      : `everyone who can reach ${host}`
  if (manualQuotaRefreshAuth === 'none') {
    return warn(
      'open_refresh',
      `${who} reads e-mail addresses and usage, unencrypted, and can start a refresh`,
      'Listen on 127.0.0.1 behind a reverse proxy with TLS and a login, and set manual_quota_refresh_auth to page-token.',
    )
  }
  const named =
    allowedHosts.length === 0
      ? ' By name it refuses browsers until --allowed-host lists that name.'
      : ''
  return warn(
    'open_listener',
    `${who} reads e-mail addresses and usage, unencrypted.${named}`,
    'Listen on 127.0.0.1 behind a reverse proxy with TLS and a login: `init nginx` or `init caddy` prints one.',
  )
}

function allowedHostsVerdict(hosts: readonly Authority[]): CheckVerdict {
  if (hosts.length === 0) return ok('none besides this machine')
  const suffixes = publicSuffixesOf(hosts)
  return suffixes.length === 0
    ? ok(hosts.map(({ host, port }) => (port === null ? host : `${host}:${port}`)).join(', '))
    : warn(
        'public_suffix',
        `${suffixes.join(', ')}: a public suffix, under which anybody can register names`,
        'List the whole name of this service.',
      )
}

/** Whether another user of this machine could listen at the first address of `localhost` and impersonate the service. See docs/security.md. */
async function localhostVerdict({ host, port }: Config['server']): Promise<CheckVerdict> {
  if (!isLoopbackHost(host)) return skip('the service does not listen on this machine alone')
  const addresses = await lookup('localhost', { all: true }).catch(() => [])
  const ours = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
  const foreign = addresses
    .map(({ address }) => address)
    .filter((address) => !ours.includes(address))
  const squatted = []
  for (const address of foreign) if (await isListening(address, port)) squatted.push(address)
  if (squatted.length > 0) {
    return warn(
      'squatted',
      `localhost also means ${squatted.join(' and ')}, where another program listens on port ${port}`,
      `Open http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/ and not localhost, or set host to localhost to take both addresses.`,
    )
  }
  return ok(
    foreign.length === 0
      ? 'leads to this service'
      : `also means ${foreign.join(' and ')}, where nobody listens`,
  )
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS_MAX })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    // A program that was busy for so long hears of the timeout before the connection.
    socket.once('timeout', () => setImmediate(() => end(!socket.connecting)))
    socket.once('error', () => end(false))
  })
}
