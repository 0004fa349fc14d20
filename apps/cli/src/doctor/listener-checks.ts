import { lookup } from 'node:dns/promises'
import { connect, createServer, isIP } from 'node:net'
import { type AllowedHost, type Config, isLoopbackHost } from '@svc/config'
import { publicSuffixesOf } from '../public-suffix.ts'
import { type CheckId, fail, ok, skip, type Verdict, warn } from './finding.ts'

/** What asks our own service, if it is that which listens. */
const ANSWER_MS_MAX = 2_000
const CONNECT_MS_MAX = 500

/** Whether the service could listen, and who could then reach it. */
export async function listenerChecks(config: Config, fetch: typeof globalThis.fetch): Promise<Partial<Record<CheckId, Verdict>>> {
  const bind = await bindVerdict(config, fetch)
  return {
    bind,
    listen_risk: riskVerdict(config),
    allowed_hosts: allowedHostsVerdict(config.allowedHosts),
    localhost: await localhostVerdict(config),
    'upstream.queue_rival': await rivalVerdict(config, bind, fetch),
  }
}

const RUNNING = 'already running'

async function bindVerdict({ host, port }: Config, fetch: typeof globalThis.fetch): Promise<Verdict> {
  const code = await bindErrorOf(host, port)
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  switch (code) {
    case null:
      return ok(`${address} is free`)
    case 'EADDRINUSE':
      return (await isOurService({ host, port }, fetch))
        ? ok(`${RUNNING}: this service listens on ${address}`)
        : fail(`${address} is in use by another program`, 'Stop it, or choose another --port.')
    case 'EACCES':
      return fail(`this user may not listen on port ${port}`, 'Choose a port from 1024 on.')
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(`${host} is no address of this machine`, 'Set host to an address of this machine, or to 127.0.0.1.')
    default:
      return fail(`${address} cannot be listened on (${code})`, 'Choose another host or port.')
  }
}

function bindErrorOf(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown error'))
    server.listen(port, host === 'localhost' ? '127.0.0.1' : host, () => server.close(() => resolve(null)))
  })
}

const baseOf = ({ host, port }: Pick<Config, 'host' | 'port'>): string => {
  // What listens everywhere also listens here.
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${isIP(reached) === 6 ? `[${reached}]` : reached}:${port}`
}

async function bodyAt(url: string, fetch: typeof globalThis.fetch): Promise<unknown> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    return await answer.json()
  } catch {
    return null
  }
}

async function isOurService(listener: Pick<Config, 'host' | 'port'>, fetch: typeof globalThis.fetch): Promise<boolean> {
  const body = await bodyAt(`${baseOf(listener)}/healthz`, fetch)
  const isAlive = typeof body === 'object' && body !== null && 'ok' in body && body.ok === true
  return isAlive && (await actionsAt(listener, fetch)) !== null
}

/** What a service of ours says must be done; null where none answers. */
async function actionsAt(listener: Pick<Config, 'host' | 'port'>, fetch: typeof globalThis.fetch): Promise<readonly unknown[] | null> {
  const body = await bodyAt(`${baseOf(listener)}/api/v1/health`, fetch)
  const isHealth = typeof body === 'object' && body !== null && 'actionCount' in body && 'actions' in body
  return isHealth && Array.isArray(body.actions) ? body.actions : null
}

/** Only who reads the queue can miss its records, so the running service is asked. */
async function rivalVerdict(config: Config, bind: Verdict, fetch: typeof globalThis.fetch): Promise<Verdict> {
  if (!bind.detail.startsWith(RUNNING)) return skip('only the running service can tell: it reads the queue, this check does not')
  const actions = await actionsAt(config, fetch)
  if (actions === null) return skip('the running service does not tell')
  const isShared = (action: unknown) =>
    typeof action === 'object' && action !== null && 'badge' in action && action.badge === 'Shared queue'
  return actions.some(isShared)
    ? warn('requests reach the accounts, but the queue stays empty', 'Stop the other program that reads the usage queue of this proxy.')
    : ok('none is suspected')
}

function riskVerdict({ host, allowedHosts, manualQuotaRefreshAuth }: Config): Verdict {
  if (isLoopbackHost(host)) return ok('this machine only')
  const who = host === '0.0.0.0' || host === '::' ? 'every network of this machine' : `whoever reaches ${host}`
  if (manualQuotaRefreshAuth === 'none') {
    return warn(
      `${who} reads e-mail addresses and usage, unencrypted, and can start a refresh`,
      'Listen on 127.0.0.1 behind a reverse proxy with TLS and a login, and set manual_quota_refresh_auth to page-token.',
    )
  }
  const named = allowedHosts.length === 0 ? ' By name it refuses browsers until --allowed-host lists that name.' : ''
  return warn(
    `${who} reads e-mail addresses and usage, unencrypted.${named}`,
    'Listen on 127.0.0.1 behind a reverse proxy with TLS and a login: `init nginx` or `init caddy` prints one.',
  )
}

function allowedHostsVerdict(hosts: readonly AllowedHost[]): Verdict {
  if (hosts.length === 0) return ok('none besides this machine')
  const suffixes = publicSuffixesOf(hosts)
  return suffixes.length === 0
    ? ok(hosts.map(({ host, port }) => (port === null ? host : `${host}:${port}`)).join(', '))
    : warn(`${suffixes.join(', ')}: a public suffix, under which anybody can register names`, 'List the whole name of this service.')
}

/** Another user of this machine could listen where the name `localhost` leads first, and be taken for us. Source: guard G9. */
async function localhostVerdict({ host, port }: Config): Promise<Verdict> {
  if (!isLoopbackHost(host)) return skip('the service does not listen on this machine alone')
  const addresses = await lookup('localhost', { all: true }).catch(() => [])
  const ours = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
  const foreign = addresses.map(({ address }) => address).filter((address) => !ours.includes(address))
  const squatted = []
  for (const address of foreign) if (await isListening(address, port)) squatted.push(address)
  if (squatted.length > 0) {
    return warn(
      `localhost also means ${squatted.join(' and ')}, where another program listens on port ${port}`,
      `Open http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/ and not localhost, or set host to localhost to take both addresses.`,
    )
  }
  return ok(foreign.length === 0 ? 'leads to this service' : `also means ${foreign.join(' and ')}, where nobody listens`)
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS_MAX })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}
