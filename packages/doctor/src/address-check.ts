import { type Config, isLoopbackHost, isOnThisMachine, isUnspecifiedHost } from '@svc/config'
import { fail, ok, type Verdict, warn } from './finding.ts'

/** Paths of the proxy's model API and management API, which follow its base URL. */
const PATH_OF_THE_PROXY = /\/(?:v0|v1|v1beta|management(?:\.html)?)(?:\/.*)?$/

/** Whether upstream_url can be the base URL of a proxy; if not, doctor sends nothing to it. */
export function addressVerdict({
  upstream: { upstreamUrl },
  server: { host, port },
}: Config): Verdict {
  const url = new URL(upstreamUrl)
  const path = PATH_OF_THE_PROXY.exec(url.pathname)?.[0]
  if (path !== undefined) {
    const base = upstreamUrl.slice(0, -path.length)
    return fail(
      'path_in_url',
      `upstream_url ends in ${path}, which belongs behind the address of the proxy`,
      `Set upstream_url to ${base}.`,
    )
  }
  const name = hostOf(url)
  const isOurs = isOnThisMachine(url)
    ? isLoopbackHost(host) || isUnspecifiedHost(host)
    : name === host
  if (isOurs && portOf(url) === port) {
    const hint = 'Set upstream_url to the address of CLIProxyAPI, whose port is usually 8317.'
    return fail(
      'own_port',
      `upstream_url is the address on which this service itself listens (port ${port})`,
      hint,
    )
  }
  if (isUnspecifiedHost(name))
    return warn(
      'unspecified_address',
      `${name} is an address to listen on; where it is asked it leads to this machine, and not on every system`,
      `Set upstream_url to ${url.protocol}//${name === '::' ? '[::1]' : '127.0.0.1'}:${portOf(url)}.`,
    )
  return ok(upstreamUrl)
}

/** Host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
