import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Inspected } from '@svc/collector'
import { type Config, isLoopbackHost, isOnThisMachine, isUnspecifiedHost } from '@svc/config'
import { type CheckVerdict, type FindingCode, fail, ok, warn } from './finding.ts'

/** Paths of the proxy's model API and management API, which follow its base URL. */
const PATH_OF_THE_PROXY = /\/(?:v0|v1|v1beta|v8|management(?:\.html)?)(?:\/.*)?$/

/** Whether upstream_url can be the base URL of a proxy; if not, doctor sends nothing to it. */
export function addressVerdict({
  upstream: { upstreamUrl },
  server: { host, port },
}: Config): CheckVerdict {
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

type Failed = Extract<Inspected<unknown>, { kind: 'failed' }>

/** Longest wait for a TLS handshake; a port with TLS answers at once. */
const HANDSHAKE_MS_MAX = 3_000

/**
 * Verdict on the connection to `url`, based on the failed call; null if the proxy itself refused. `key` names the setting, `authorities` the file of
 * NODE_EXTRA_CA_CERTS.
 */
export async function connectionTrouble(
  url: string,
  key: string,
  { failure, trace }: Failed,
  authorities = '',
): Promise<CheckVerdict | null> {
  const { answer, systemCode } = trace
  if (answer?.redirectsTo != null) return redirectVerdict(url, key, answer.redirectsTo)
  if (
    answer !== null &&
    !answer.isFromProxy &&
    (answer.status === 401 || answer.status === 407) &&
    answer.login !== null
  ) {
    return fail(
      'login_in_front',
      `a login (${answer.login}) in front of the proxy turned the call away; the key was not judged`,
      `Let the reverse proxy pass this path from here without a login, or set ${key} to the address of the proxy itself.`,
    )
  }
  if (answer?.isWebPage === true) return webPageVerdict(answer.status, key)
  if (answer !== null && !answer.isFromProxy && answer.status === 403) {
    const hint = `Let what stands in front of the proxy pass calls from here, or set ${key} to the address of the proxy itself.`
    return fail('forbidden_in_front', 'something in front of the proxy answers 403', hint)
  }
  const certificate = CERTIFICATE_TROUBLES.find(({ codes }) => codes.test(systemCode ?? ''))
  if (certificate !== undefined)
    return fail(certificate.code, certificate.detail, certificate.hint(key, authorities))
  if (await isPlainHttpOnTls(url, answer?.status ?? null, failure.code)) {
    return fail('speaks_tls', 'http is asked of a port that speaks TLS', `Set ${key} to https://…`)
  }
  return failure.code === 'unreachable' && systemCode === 'ECONNREFUSED'
    ? fail(
        'connection_refused',
        `nothing listens at ${new URL(url).host}`,
        `Start the proxy, or correct ${key}.`,
      )
    : null
}

/** Verdict on an answer that is a web page. The proxy never sends one, so another program listens at the address. */
function webPageVerdict(status: number, key: string): CheckVerdict {
  if (status === 429)
    return fail(
      'throttled',
      'something in front of the proxy limits calls: it answers 429 with a web page',
      `Let it pass calls from here, or set ${key} to the address of the proxy itself.`,
    )
  if (status >= 502 && status <= 504)
    return fail(
      'server_error',
      `something in front of the proxy does not reach it: it answers ${status} with a web page`,
      'Start the proxy, and look at the log of what stands in front of it.',
    )
  return fail(
    'web_page',
    status < 300
      ? 'a web page answers there, not the proxy'
      : `a web page answers there with status ${status}`,
    `Set ${key} to the address of the proxy itself; a login page or another program stands there.`,
  )
}

function redirectVerdict(url: string, key: string, target: string): CheckVerdict {
  const asked = new URL(url)
  const moved = new URL(target)
  // The same path at another address is the proxy itself; any other path is usually a login.
  const hint =
    moved.pathname === asked.pathname && moved.origin !== asked.origin
      ? `Set ${key} to ${moved.origin}…, where it leads.`
      : `Set ${key} to the address of the proxy itself; what stands in front of it asks for a login or has moved.`
  return fail('redirected', `it redirects to ${target}, and redirects are not followed`, hint)
}

const CERTIFICATE_TROUBLES: readonly {
  readonly codes: RegExp
  readonly code: FindingCode
  readonly detail: string
  readonly hint: (key: string, authorities: string) => string
}[] = [
  {
    codes: /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|EPROTO/,
    code: 'speaks_no_tls',
    detail: 'https is asked of a port that speaks plain http',
    hint: (key) => `Set ${key} to http://…, or switch TLS on in the proxy.`,
  },
  {
    codes: /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/,
    code: 'certificate_unknown_authority',
    detail: 'its certificate is signed by an authority that this machine does not know',
    hint: (_, authorities) =>
      authorities === ''
        ? 'Start the service, and this check, with NODE_EXTRA_CA_CERTS=<PEM file of that authority>.'
        : `NODE_EXTRA_CA_CERTS names ${authorities}, which does not hold that authority: add its certificate to that file in PEM, then start the service again.`,
  },
  {
    codes: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    code: 'certificate_expired',
    detail: 'its certificate is out of date',
    hint: () => 'Renew the certificate of the proxy, and check the clock of this machine.',
  },
  {
    codes: /ALTNAME_INVALID/,
    code: 'certificate_wrong_name',
    detail: 'its certificate is for another name',
    hint: (key) => `Use the name of the certificate in ${key}.`,
  },
]

/** Whether a port speaks TLS only. A plain request may get 400, an alert or no answer, so a TLS handshake without a request decides. */
async function isPlainHttpOnTls(
  url: string,
  status: number | null,
  failure: string,
): Promise<boolean> {
  const asked = new URL(url)
  if (asked.protocol !== 'http:' || failure === 'timeout' || failure === 'dns') return false
  if (status !== null && status !== 400) return false
  return await new Promise((resolve) => {
    const host = hostOf(asked)
    // The connection only shows whether the port speaks TLS; no request is sent.
    const socket = connect({
      host,
      port: portOf(asked),
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    })
    const end = (speaks: boolean) => {
      socket.destroy()
      resolve(speaks)
    }
    socket.setTimeout(HANDSHAKE_MS_MAX, () => end(false))
    socket.once('secureConnect', () => end(true))
    socket.once('error', () => end(false))
  })
}
