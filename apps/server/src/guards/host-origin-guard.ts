import { isIP } from 'node:net'
import {
  type Authority,
  canonicalAddress,
  isLoopbackHost,
  isUnspecifiedHost,
  parseAuthority,
} from '@svc/config'
import type { GuardReason } from '@svc/monitor'

export interface GuardConfig {
  /** Host names by which browsers reach the service; port null = any. Hosts in canonical spelling. */
  readonly allowedHosts: readonly Authority[]
  /** Address or name the service listens on; may be a wildcard address. */
  readonly host: string
}

/** Parts of a request that the guard examines. */
export interface GuardedRequest {
  readonly rawHeaders: readonly string[]
  readonly method: string
  readonly url: string
  /** Address the socket arrived on. */
  readonly localAddress: string | undefined
}

export type Judgement =
  | { readonly allowed: true /** Target in origin form, for the router. */; readonly path: string }
  | {
      readonly allowed: false
      readonly status: 400 | 403
      readonly reason: GuardReason
      /** The refused value, for the log only. */
      readonly subject: string
    }

export type Guard = (request: GuardedRequest) => Judgement

const DEFAULT_PORTS: readonly number[] = [80, 443]
/** Host values whose parsed form is remembered; a real client sends one or two. */
const REMEMBERED_MAX = 64

/**
 * Creates the check that every request passes before any other code sees it: framing, Host syntax, target, Host
 * policy, Origin, fetch metadata, in this order. Pure and total; header order and case never change the result.
 */
export function compileGuard(config: GuardConfig): Guard {
  const policy = compilePolicy(config)
  const remembered = new Map<string, Authority | null>()
  const parseHost = (value: string) => {
    const known = remembered.get(value)
    if (known !== undefined) return known
    const parsed = parseAuthority(value)
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(value, parsed)
    return parsed
  }

  return (request) => {
    const headers = scanHeaders(request.rawHeaders)
    if (headers.hosts !== 1) return refuse(400, 'host_count', headers.host)
    const host = parseHost(headers.host)
    if (host === null) return refuse(400, 'host_syntax', headers.host)

    const target = readTarget(request.url, host)
    if (target.path === null) return refuse(400, target.reason, request.url)

    if (!policy.allowsHost(host, request.localAddress)) return refuse(403, 'host', headers.host)

    let originListed = false
    if (headers.origins > 0) {
      const origin = headers.origins === 1 ? parseOrigin(headers.origin) : null
      if (origin === null) return refuse(403, 'origin_syntax', headers.origin)
      originListed = policy.lists(origin.authority, [origin.defaultPort])
      if (!originListed && !isSameAuthority(origin.authority, host, origin.defaultPort))
        return refuse(403, 'origin', headers.origin)
    }

    const metadataOk = headers.sites === 0 || allowsMetadata(headers, request.method, originListed)
    return metadataOk
      ? { allowed: true, path: target.path }
      : refuse(403, 'fetch_metadata', headers.site)
  }
}

function refuse(status: 400 | 403, reason: GuardReason, subject: string): Judgement {
  return { allowed: false, status, reason, subject }
}

interface DecidingHeaders {
  hosts: number
  host: string
  origins: number
  origin: string
  sites: number
  site: string
  mode: string
  dest: string
}

/** Reads the raw lines in one pass, because Node itself would drop or join repeated headers. */
function scanHeaders(rawHeaders: readonly string[]): DecidingHeaders {
  const found: DecidingHeaders = {
    hosts: 0,
    host: '',
    origins: 0,
    origin: '',
    sites: 0,
    site: '',
    mode: '',
    dest: '',
  }
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    // Only names of these lengths matter; most headers cost one comparison.
    if (name.length !== 4 && name.length !== 6 && name.length !== 14) continue
    const value = rawHeaders[i + 1] ?? ''
    switch (name.toLowerCase()) {
      case 'host':
        found.hosts += 1
        found.host = value
        break
      case 'origin':
        found.origins += 1
        found.origin = value
        break
      case 'sec-fetch-site':
        found.sites += 1
        found.site = value
        break
      case 'sec-fetch-mode':
        found.mode = value
        break
      case 'sec-fetch-dest':
        found.dest = value
        break
    }
  }
  return found
}

type Target =
  | { readonly path: string }
  | { readonly path: null; readonly reason: 'target' | 'target_authority' }

/** Reads a target in origin form, or in absolute form with the same authority as Host. */
function readTarget(url: string, host: Authority): Target {
  if (url.includes('#') || url.includes('\\')) return { path: null, reason: 'target' }
  if (url.startsWith('/'))
    return url.startsWith('//') ? { path: null, reason: 'target' } : { path: url }

  const scheme = /^https?:\/\//i.exec(url)?.[0]
  if (scheme === undefined) return { path: null, reason: 'target' }
  const afterScheme = url.slice(scheme.length)
  const end = afterScheme.search(/[/?]/)
  const authority = parseAuthority(end < 0 ? afterScheme : afterScheme.slice(0, end))
  const defaultPort = scheme.length === 8 ? 443 : 80
  if (authority === null || !isSameAuthority(authority, host, defaultPort))
    return { path: null, reason: 'target_authority' }
  const path = end < 0 ? '/' : afterScheme.slice(end)
  return { path: path.startsWith('/') ? path : `/${path}` }
}

function isSameAuthority(a: Authority, b: Authority, defaultPort: number): boolean {
  return a.host === b.host && (a.port ?? defaultPort) === (b.port ?? defaultPort)
}

/** Parses a serialised http(s) origin: scheme and authority, nothing else. */
function parseOrigin(
  text: string,
): { readonly authority: Authority; readonly defaultPort: number } | null {
  const secure = text.startsWith('https://')
  if (!secure && !text.startsWith('http://')) return null
  const authority = parseAuthority(text.slice(secure ? 8 : 7))
  return authority === null ? null : { authority, defaultPort: secure ? 443 : 80 }
}

/** Stops pages of other sites from loading ours as an image, script or frame, which carry no Origin. */
function allowsMetadata(headers: DecidingHeaders, method: string, originListed: boolean): boolean {
  if (headers.sites !== 1) return false
  if (headers.site === 'same-origin' || headers.site === 'none') return true
  if (headers.site !== 'same-site' && headers.site !== 'cross-site') return false
  const navigation =
    headers.mode === 'navigate' &&
    headers.dest === 'document' &&
    (method === 'GET' || method === 'HEAD')
  return originListed || navigation
}

interface HostPolicy {
  allowsHost(host: Authority, localAddress: string | undefined): boolean
  /** Whether the operator listed this authority; `defaultPorts`: the ports that a missing port may mean. */
  lists(authority: Authority, defaultPorts: readonly number[]): boolean
}

function compilePolicy({ allowedHosts, host: listenHost }: GuardConfig): HostPolicy {
  const listener =
    parseAuthority(isIP(listenHost) === 6 ? `[${listenHost}]` : listenHost)?.host ?? null
  const ownName = listener !== null && !isUnspecifiedHost(listener) ? listener : null
  const onLoopback = listener !== null && isLoopbackHost(listener)

  const lists: HostPolicy['lists'] = ({ host, port }, defaultPorts) =>
    allowedHosts.some(
      (entry) =>
        entry.host === host &&
        (entry.port === null ||
          (port === null ? defaultPorts.includes(entry.port) : port === entry.port)),
    )
  return {
    lists,
    allowsHost(authority, localAddress) {
      const { host } = authority
      if (isUnspecifiedHost(host)) return false
      if (isLoopbackHost(host) || host === ownName || lists(authority, DEFAULT_PORTS)) return true
      // DNS rebinding needs a name, so the exact address of this socket is safe.
      return (
        !onLoopback &&
        localAddress !== undefined &&
        isIP(host) !== 0 &&
        host === canonicalAddress(localAddress)
      )
    },
  }
}
