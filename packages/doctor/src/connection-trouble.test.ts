import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { configWith } from '@svc/config/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { addressVerdict, connectionTrouble, hostOf, portOf } from './connection-trouble.ts'

const URL_OF_PROXY = 'https://proxy.example:8317/v0/management/auth-files'
const ANSWER = {
  status: 200,
  isFromProxy: false,
  redirectsTo: null,
  login: null,
  isWebPage: false,
}

const troubleOf = (
  shape: {
    readonly url?: string
    readonly code?: string
    readonly systemCode?: string
    readonly answer?: Partial<typeof ANSWER> | { readonly redirectsTo: string }
    readonly login?: string
    readonly authorities?: string
  } = {},
) =>
  connectionTrouble(
    shape.url ?? URL_OF_PROXY,
    'upstream_url',
    {
      kind: 'failed',
      failure: { code: shape.code ?? 'http_error', message: 'x', httpStatus: null },
      trace: {
        systemCode: shape.systemCode ?? null,
        answer:
          shape.answer === undefined
            ? null
            : { ...ANSWER, ...shape.answer, login: shape.login ?? null },
      },
    } as never,
    shape.authorities,
  )

describe('what stands in front of the proxy', () => {
  it.each([
    {
      what: 'the same path at another address is named',
      target: 'https://other.example/v0/management/auth-files',
      hint: 'Set upstream_url to https://other.example…',
    },
    {
      what: 'another path is a login',
      target: 'https://proxy.example:8317/login',
      hint: 'asks for a login or has moved',
    },
  ])('redirects: $what', async ({ target, hint }) => {
    const verdict = await troubleOf({ answer: { redirectsTo: target } })

    expect(verdict).toMatchObject({ status: 'fail', code: 'redirected' })
    expect(verdict?.hint).toContain(hint)
  })

  it.for<readonly [what: string, answer: object, code: string, login?: string]>([
    ['a login of its own', { status: 401 }, 'login_in_front', 'Basic'],
    ['the login of a gateway', { status: 407 }, 'login_in_front', 'Negotiate'],
    ['a page in place of an answer', { status: 200, isWebPage: true }, 'web_page'],
    ['a page for a failure', { status: 500, isWebPage: true }, 'web_page'],
    ['a page because the proxy is down', { status: 503, isWebPage: true }, 'server_error'],
    ['a page because of too many calls', { status: 429, isWebPage: true }, 'throttled'],
    ['a refusal', { status: 403 }, 'forbidden_in_front'],
  ])('answers with $0: $2', async ([, answer, code, login]) => {
    expect(await troubleOf({ answer, ...(login === undefined ? {} : { login }) })).toMatchObject({
      status: 'fail',
      code,
    })
  })

  it.each([
    { what: 'refuses the key', answer: { status: 401, isFromProxy: true }, login: 'Bearer' },
    { what: 'forbids management', answer: { status: 403, isFromProxy: true } },
    { what: 'fails', answer: { status: 500, isFromProxy: true } },
  ])('is nothing where the proxy itself $what', async ({ answer, login }) => {
    expect(await troubleOf({ answer, ...(login === undefined ? {} : { login }) })).toBeNull()
  })
})

describe('a certificate', () => {
  it.each([
    { systemCode: 'EPROTO', code: 'speaks_no_tls' },
    { systemCode: 'ERR_SSL_WRONG_VERSION_NUMBER', code: 'speaks_no_tls' },
    { systemCode: 'DEPTH_ZERO_SELF_SIGNED_CERT', code: 'certificate_unknown_authority' },
    { systemCode: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', code: 'certificate_unknown_authority' },
    { systemCode: 'CERT_HAS_EXPIRED', code: 'certificate_expired' },
    { systemCode: 'ERR_TLS_CERT_ALTNAME_INVALID', code: 'certificate_wrong_name' },
  ])('$systemCode is reported as $code', async ({ systemCode, code }) => {
    expect(await troubleOf({ code: 'unreachable', systemCode })).toMatchObject({ code })
  })

  it('of an authority that the named file does not hold says which file', async () => {
    const failed = { code: 'unreachable', systemCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }

    expect((await troubleOf(failed))?.hint).toMatch(
      /^Start the service, and this check, with NODE_/,
    )
    expect((await troubleOf({ ...failed, authorities: '/etc/ca.pem' }))?.hint).toMatch(
      /^NODE_EXTRA_CA_CERTS names \/etc\/ca\.pem, which does not hold that authority/,
    )
  })
})

describe('a connection over plain http', () => {
  const servers: Server[] = []
  const sockets: Socket[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const server of servers.splice(0)) server.close()
  })
  async function listening(onConnection: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => undefined)
      onConnection(socket)
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`
  }

  it('that is refused names the address at which nothing listens', async () => {
    const verdict = await troubleOf({
      url: 'http://127.0.0.1:9/healthz',
      code: 'unreachable',
      systemCode: 'ECONNREFUSED',
    })

    expect(verdict).toMatchObject({
      code: 'connection_refused',
      detail: 'nothing listens at 127.0.0.1:9',
    })
  })

  it('to a port that does not speak TLS is nothing we know better', async () => {
    const url = await listening((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))

    expect(await troubleOf({ url, code: 'unreachable', systemCode: 'ECONNRESET' })).toBeNull()
  })

  it.each([
    { what: 'ran into its deadline', shape: { code: 'timeout' } },
    { what: 'found no such name', shape: { code: 'dns' } },
    {
      what: 'was answered',
      shape: { code: 'http_error', answer: { status: 500, isFromProxy: true } },
    },
  ])('is not tried with TLS where the call $what', async ({ shape }) => {
    let connections = 0
    const url = await listening(() => {
      connections += 1
    })
    await troubleOf({ url, ...shape })

    expect(connections).toBe(0)
  })
})

const judged = (upstreamUrl: string, host = '127.0.0.1', port = 4515) =>
  addressVerdict(configWith({ upstreamUrl, host, port }))

describe('the address of the proxy', () => {
  it.each([
    { url: 'http://proxy:8317/v0/management', base: 'http://proxy:8317' },
    { url: 'http://proxy:8317/v1', base: 'http://proxy:8317' },
    { url: 'https://x.example/cpa/management.html', base: 'https://x.example/cpa' },
    { url: 'http://proxy:8317/v1/models/a', base: 'http://proxy:8317' },
  ])('$url ends in a path of the proxy', ({ url, base }) => {
    expect(judged(url)).toMatchObject({
      status: 'fail',
      code: 'path_in_url',
      hint: `Set upstream_url to ${base}.`,
    })
  })

  it.each(['http://proxy:8317', 'https://x.example/v12', 'http://x.example/cpa', 'http://v1:80'])(
    '%s is one',
    (url) => {
      expect(judged(url)).toMatchObject({ status: 'ok', detail: url })
    },
  )

  it.each([
    { url: 'http://127.0.0.1:4515', host: '127.0.0.1', ours: true },
    { url: 'http://localhost:4515', host: '127.0.0.1', ours: true },
    { url: 'http://[::1]:4515', host: '0.0.0.0', ours: true },
    { url: 'http://127.0.0.1:4515', host: '::', ours: true },
    { url: 'http://127.0.0.1:8317', host: '127.0.0.1', ours: false },
    { url: 'http://192.0.2.1:4515', host: '127.0.0.1', ours: false },
    { url: 'http://192.0.2.1:4515', host: '192.0.2.1', ours: true },
    { url: 'http://127.0.0.1:4515', host: '192.0.2.1', ours: false },
  ])('$url is our own while we listen on $host: $ours', ({ url, host, ours }) => {
    expect(judged(url, host).code).toBe(ours ? 'own_port' : 'ok')
  })

  it.each([
    { url: 'http://localhost', port: 80 },
    { url: 'https://localhost', port: 443 },
  ])('without a port is that of its scheme: $url', ({ url, port }) => {
    expect(judged(url, '127.0.0.1', port).code).toBe('own_port')
    expect(portOf(new URL(url))).toBe(port)
  })

  it('has no brackets in its host', () => {
    expect(hostOf(new URL('http://[::1]:80'))).toBe('::1')
    expect(hostOf(new URL('http://a.example'))).toBe('a.example')
  })
})
