import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { epochMs } from '@svc/core'
import { type Clock, Redacted, type SourceFailureCode } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { probeGateway } from '../sources/gateway.ts'
import { fetchUsageStatistics } from '../sources/usage-statistics.ts'
import { createUpstreamClient, type ManagementCall, onOurClock } from './upstream-client.ts'
import { UpstreamError } from './upstream-error.ts'

const KEY = 'canary-management-key'
const realClock: Clock = {
  now: () => NOW,
  monotonicMs: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}

const servers: { close(): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  servers.push({
    close() {
      if ('closeAllConnections' in server) server.closeAllConnections()
      server.close()
    },
  })
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ),
  )
}

/** A server that answers as told and keeps what it saw. */
async function aServer(answer: RequestListener) {
  const seen: IncomingMessage[] = []
  const url = await listen(
    createServer((request, response) => {
      seen.push(request)
      answer(request, response)
    }),
  )
  return { url, seen, client: createUpstreamClient(url, { clock: realClock, fetch }) }
}

/** A server of raw bytes: one answer per connection. */
async function aRawServer(onRequest: (socket: Socket, connection: number) => void) {
  let connections = 0
  const url = await listen(
    createTcpServer((socket) => {
      connections += 1
      const connection = connections
      socket.on('error', () => {})
      socket.once('data', () => onRequest(socket, connection))
    }),
  )
  return {
    url,
    client: createUpstreamClient(url, { clock: realClock, fetch }),
    connectionCount: () => connections,
  }
}

function aCall(changes: Partial<ManagementCall> = {}): ManagementCall {
  return {
    key: new Redacted(KEY),
    seconds: 5,
    stop: new AbortController().signal,
    bytesMax: 100_000,
    ...changes,
  }
}

async function failureOf(pending: Promise<unknown>): Promise<UpstreamError> {
  const error: unknown = await pending.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof UpstreamError))
    throw new Error(`expected an UpstreamError, got ${String(error)}`)
  expect(`${error.message}${error.stack ?? ''}`).not.toContain('canary')
  return error
}

const json = (body: unknown, headers: Record<string, string> = {}): RequestListener => {
  return (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', ...headers })
      .end(JSON.stringify(body))
}

describe('a call', () => {
  it('goes to the management API with the key as bearer, and says nothing about forwarding', async () => {
    const { client, seen } = await aServer(json({ files: [] }))

    const answer = await client.get('auth-files', aCall())

    expect(answer.body).toEqual({ files: [] })
    expect(seen[0]?.url).toBe('/v0/management/auth-files')
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'accept-encoding': 'identity',
    })
    expect(
      Object.keys(seen[0]?.headers ?? {}).filter((name) =>
        /forward|real-ip|management-key/.test(name),
      ),
    ).toEqual([])
  })

  it('keeps a path in front of the API', async () => {
    const { url, seen } = await aServer(json({}))

    await createUpstreamClient(`${url}/proxy/`, { clock: realClock, fetch }).get(
      'auth-files',
      aCall(),
    )

    expect(seen[0]?.url).toBe('/proxy/v0/management/auth-files')
  })

  it('posts JSON', async () => {
    let body = ''
    const { client, seen } = await aServer((request, response) => {
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      )
    })

    await client.post('api-call', { method: 'GET' }, aCall())

    expect(seen[0]).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    expect(JSON.parse(body)).toEqual({ method: 'GET' })
  })

  it('learns version and clock skew from any answer', async () => {
    const { client } = await aServer(
      json({}, { 'x-cpa-version': 'v7.2.140', date: 'Fri, 20 Nov 2026 12:10:00 GMT' }),
    )
    expect(client.facts()).toEqual({ version: null, clockSkewSeconds: null })

    const answer = await client.get('auth-files', aCall())

    expect(client.facts()).toEqual({ version: 'v7.2.140', clockSkewSeconds: 600 })
    expect(answer.proxyNow).toBe(NOW + 600_000)
  })

  it('learns from a refusal too, and ignores a version that is none', async () => {
    const { client } = await aServer((_request, response) =>
      response.writeHead(401, { 'x-cpa-version': 'a b<c>' }).end(),
    )

    await failureOf(client.get('auth-files', aCall()))

    expect(client.facts().version).toBeNull()
    expect(client.facts().clockSkewSeconds).not.toBeNull()
  })
})

describe('an answer that is no answer', () => {
  it.each<[number, string, string, SourceFailureCode, string]>([
    [200, 'application/json', '{"files":[', 'bad_payload', 'cut short'],
    [200, 'application/json', '{} trailing', 'bad_payload', 'text after the document'],
    [200, 'application/json', '{}{}', 'bad_payload', 'two documents'],
    [200, 'application/json', '', 'bad_payload', 'empty'],
    [204, 'application/json', '', 'bad_payload', 'no content'],
    [200, 'text/html', '<html>canary login page</html>', 'bad_payload', 'a page'],
    [200, 'application/octet-stream', '{}', 'bad_payload', 'another type'],
    [
      401,
      'application/json',
      '{"error":"invalid management key canary"}',
      'unauthorized',
      'wrong key',
    ],
    [403, 'application/json', '{"error":"remote management disabled"}', 'forbidden', 'no ban'],
    [403, 'text/html', '<html>canary</html>', 'forbidden', 'a page'],
    [
      403,
      'application/json',
      `{"error":"${'x'.repeat(10_000)}"}`,
      'forbidden',
      'more text than is read',
    ],
    [404, 'application/json', '', 'management_disabled', 'no route, no proxy headers'],
    [429, 'application/json', '{}', 'throttled', ''],
    [500, 'application/json', '{"error":"canary"}', 'server_error', ''],
    [502, 'text/html', '<html>', 'server_error', ''],
    [418, 'application/json', '{}', 'unexpected_status', ''],
  ])('status %d, %s, %s: %s %s', async (status, contentType, body, code) => {
    const { client } = await aServer((_request, response) =>
      response.writeHead(status, { 'content-type': contentType }).end(body),
    )

    expect(await failureOf(client.get('auth-files', aCall()))).toMatchObject({ code })
  })

  it('names the type of a page', async () => {
    const { client } = await aServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )

    expect((await failureOf(client.get('auth-files', aCall()))).message).toContain('text/html')
  })

  it('404 with the proxy’s own headers is a missing route', async () => {
    const { client } = await aServer((_request, response) =>
      response.writeHead(404, { 'x-cpa-version': 'dev' }).end(),
    )

    expect(await failureOf(client.get('nothing', aCall()))).toMatchObject({
      code: 'unsupported',
      httpStatus: 404,
    })
  })

  it.each([
    ['IP banned due to too many failed attempts. Try again in 12m3s', 723],
    ['IP banned due to too many failed attempts. Try again in 30m0s', 1800],
    ['IP banned due to too many failed attempts. Try again in 0s', 1],
    ['IP banned due to too many failed attempts. Try again later', 1800],
    ['IP banned due to too many failed attempts. Try again in 999999h', 86_400],
  ])('%s holds for %d s', async (error, seconds) => {
    const { client } = await aServer((_request, response) =>
      response.writeHead(403).end(JSON.stringify({ error })),
    )

    expect(await failureOf(client.get('auth-files', aCall()))).toMatchObject({
      code: 'banned',
      retryAfterSeconds: seconds,
    })
  })

  it('hands on how long a busy proxy asks to wait', async () => {
    const { client } = await aServer((_request, response) =>
      response.writeHead(503, { 'retry-after': '120' }).end(),
    )

    expect(await failureOf(client.get('auth-files', aCall()))).toMatchObject({
      code: 'server_error',
      retryAfterSeconds: 120,
    })
  })
})

describe('a body', () => {
  it('may start with a byte-order mark and hold invalid UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('\ufeff{"name":"a'),
      Buffer.from([0xff]),
      Buffer.from('b"}'),
    ])
    const { client } = await aServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(bytes),
    )

    expect((await client.get('auth-files', aCall())).body).toEqual({ name: 'a\ufffdb' })
  })

  it('in UTF-16 is no JSON', async () => {
    const bytes = Buffer.from('\ufeff{}', 'utf16le')
    const { client } = await aServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(bytes),
    )

    expect(await failureOf(client.get('auth-files', aCall()))).toMatchObject({
      code: 'bad_payload',
    })
  })

  it('nested 200,000 deep is refused and does not overflow anything', async () => {
    const text = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const { client } = await aServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    )

    expect(await failureOf(client.get('auth-files', aCall({ bytesMax: 1_000_000 })))).toMatchObject(
      { code: 'bad_payload' },
    )
  })

  it('of exactly the limit is read, of one byte more is not', async () => {
    const text = JSON.stringify({ pad: 'x'.repeat(1000) })
    const { client } = await aServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    )

    await client.get('auth-files', aCall({ bytesMax: text.length }))
    expect(
      await failureOf(client.get('auth-files', aCall({ bytesMax: text.length - 1 }))),
    ).toMatchObject({ code: 'too_large' })
  })

  it('without an end is cut off at the limit', async () => {
    let sentBytes = 0
    const { client } = await aServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(64 * 1024, 0x20)
      const pump = () => {
        while (!response.destroyed && sentBytes < 500_000_000) {
          sentBytes += chunk.length
          if (!response.write(chunk)) return void response.once('drain', pump)
        }
      }
      pump()
    })

    expect(await failureOf(client.get('auth-files', aCall({ bytesMax: 1_000_000 })))).toMatchObject(
      { code: 'too_large' },
    )
    expect(sentBytes).toBeLessThan(50_000_000)
  })

  it('that is compressed is refused unread', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, 0x20))
    const { client } = await aServer((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(bomb),
    )

    expect(
      await failureOf(client.get('auth-files', aCall({ bytesMax: 64_000_000 }))),
    ).toMatchObject({ code: 'bad_payload' })
  })

  it('that drips runs into the one deadline, not into an idle timer', async () => {
    const { client } = await aServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
    })

    expect(await failureOf(client.get('auth-files', aCall({ seconds: 0.5 })))).toMatchObject({
      code: 'timeout',
    })
  })

  it('reset in the middle, or shorter than announced, is a failure and leaves the next call clean', async () => {
    const { client, connectionCount } = await aRawServer((socket, connection) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n')
      if (connection === 1)
        socket.write('Content-Length: 100\r\n\r\n{"files":', () => socket.resetAndDestroy())
      else if (connection === 2) socket.end('Content-Length: 100\r\n\r\n{"files":[]}')
      else if (connection === 3) socket.end('Transfer-Encoding: chunked\r\n\r\nzz\r\n{}')
      else socket.end('Content-Length: 2\r\nConnection: close\r\n\r\n{}')
    })

    for (let broken = 0; broken < 3; broken += 1) {
      const { code } = await failureOf(client.get('auth-files', aCall()))
      expect(['unreachable', 'bad_payload']).toContain(code)
    }
    expect((await client.get('auth-files', aCall())).body).toEqual({})
    expect(connectionCount()).toBe(4)
  })
})

describe('a connection', () => {
  it('that is refused is unreachable', async () => {
    const { url } = await aServer(json({}))
    for (const server of servers.splice(0)) server.close()

    const client = createUpstreamClient(url, { clock: realClock, fetch })
    expect(await failureOf(client.get('auth-files', aCall()))).toMatchObject({
      code: 'unreachable',
    })
  })

  it('that never answers runs into the deadline', async () => {
    const { client } = await aRawServer(() => {})

    expect(await failureOf(client.get('auth-files', aCall({ seconds: 0.2 })))).toMatchObject({
      code: 'timeout',
    })
  })

  it('with a header block beyond the parser’s limit is no valid HTTP', async () => {
    const { client } = await aRawServer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1_000_000)}\r\n\r\n`),
    )

    expect(await failureOf(client.get('auth-files', aCall()))).toMatchObject({
      code: 'bad_payload',
    })
  })

  it('closed before the first byte is tried once more for a list, and only once', async () => {
    const flaky = await aRawServer((socket, connection) =>
      connection === 1
        ? socket.destroy()
        : socket.end(
            'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
          ),
    )
    await flaky.client.get('auth-files', aCall())
    expect(flaky.connectionCount()).toBe(2)

    const dead = await aRawServer((socket) => socket.destroy())
    expect(await failureOf(dead.client.get('auth-files', aCall()))).toMatchObject({
      code: 'unreachable',
    })
    expect(dead.connectionCount()).toBe(2)
  })

  it('closed before the first byte is not tried again for a post', async () => {
    const { client, connectionCount } = await aRawServer((socket) => socket.destroy())

    expect(await failureOf(client.post('api-call', {}, aCall()))).toMatchObject({
      code: 'unreachable',
    })
    expect(connectionCount()).toBe(1)
  })

  it('ends when the program stops', async () => {
    const { client } = await aRawServer(() => {})
    const stopping = new AbortController()
    const pending = failureOf(client.get('auth-files', aCall({ stop: stopping.signal })))

    setTimeout(() => stopping.abort(), 20)

    expect(await pending).toMatchObject({ code: 'unreachable' })
    expect(
      await failureOf(client.get('auth-files', aCall({ stop: stopping.signal }))),
    ).toMatchObject({ code: 'unreachable' })
  })
})

describe('a redirect', () => {
  it('is refused, and the other origin hears nothing', async () => {
    const other = await aServer(json({}))
    const { client, seen } = await aServer((_request, response) =>
      response.writeHead(302, { location: `${other.url}/steal` }).end(),
    )

    expect(await failureOf(client.get('auth-files', aCall()))).toMatchObject({ code: 'redirected' })
    expect(seen).toHaveLength(1)
    expect(other.seen).toHaveLength(0)
  })

  it('to itself is one request', async () => {
    const { client, seen } = await aServer((request, response) =>
      response.writeHead(307, { location: request.url ?? '/' }).end(),
    )

    expect(await failureOf(client.get('auth-files', aCall()))).toMatchObject({ code: 'redirected' })
    expect(seen).toHaveLength(1)
  })
})

describe('probeGateway', () => {
  const limits = () => ({ seconds: 5, stop: new AbortController().signal })
  const deps = { clock: realClock, fetch }

  it.each([200, 204, 299])('status %d is a sign of life, and no key was sent', async (status) => {
    const { url, seen } = await aServer((_request, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end(),
    )

    expect(await probeGateway(`${url}/healthz`, limits(), deps)).toEqual({ up: true })
    expect(seen).toHaveLength(1)
    expect(seen[0]?.headers.authorization).toBeUndefined()
  })

  it.each([
    [301, 'redirected'],
    [302, 'redirected'],
    [304, 'redirected'],
    [400, 'unexpected_status'],
    [401, 'unexpected_status'],
    [403, 'unexpected_status'],
    [404, 'unexpected_status'],
    [499, 'unexpected_status'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('status %d is none, but %s', async (status, code) => {
    const { url, seen } = await aServer((_request, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end(),
    )

    expect(await failureOf(probeGateway(url, limits(), deps))).toMatchObject({
      code,
      httpStatus: status,
    })
    expect(seen).toHaveLength(1)
  })

  it('an endless body does not matter', async () => {
    const { url } = await aServer((_request, response) => response.writeHead(200).write('x'))

    await probeGateway(url, limits(), deps)
  })

  it('a name that does not exist is a DNS failure', async () => {
    const lookup = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
    const unresolved: typeof fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: lookup }))

    expect(
      await failureOf(
        probeGateway('http://upstream.invalid', limits(), { ...deps, fetch: unresolved }),
      ),
    ).toMatchObject({
      code: 'dns',
    })
  })
})

describe('fetchUsageStatistics', () => {
  it.each([
    [{ 'usage-statistics-enabled': true }, true],
    [{ 'usage-statistics-enabled': false, more: 1 }, false],
    [{ 'usage-statistics-enabled': 'false' }, false],
  ])('reads %j', async (body, enabled) => {
    const { client } = await aServer(json(body))

    expect(await fetchUsageStatistics(client, aCall())).toEqual({ enabled })
  })

  it.each([[{}], [[]], ['on'], [null], [{ 'usage-statistics-enabled': 1 }]])(
    '%j is no switch',
    async (body) => {
      const { client } = await aServer(json(body))

      expect(await failureOf(fetchUsageStatistics(client, aCall()))).toMatchObject({
        code: 'bad_payload',
      })
    },
  )
})

it.each([
  [null, 0],
  [4, 0],
  [-4, 0],
  [5, -5000],
  [-600, 600_000],
])('a skew of %s s moves an instant by %d ms', (skew, moved) => {
  expect(onOurClock(epochMs(NOW), skew)).toBe(NOW + moved)
})
