import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { silentLog } from '@svc/core/testing'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseAnswer, type ServedShell, sendRaw, serveShell } from '../testing/raw-http.ts'
import type { App } from './app.ts'
import { createHttpServer } from './http-server.ts'
import { httpLimits } from './listeners.ts'

let shell: ServedShell | null = null

afterEach(async () => {
  await shell?.http.stop()
  shell = null
})

async function serve(...options: Parameters<typeof serveShell>): Promise<ServedShell> {
  shell = await serveShell(...options)
  return shell
}

const get = (path: string, ...headers: readonly string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')

async function expectAlive({ port }: ServedShell) {
  expect((await sendRaw(port, get('/healthz'), 10_000)).body).toBe('{"ok":true}')
}

/** All bytes the server sends on one connection until it closes it; a number in `parts` is a pause in milliseconds. */
function converse(port: number, parts: readonly (string | number)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
    void (async () => {
      for (const part of parts) {
        if (typeof part === 'number') await new Promise((wake) => setTimeout(wake, part))
        else socket.write(part)
      }
    })()
  })
}

describe('limits', () => {
  it.each([
    [4_096, 200],
    [4_097, 414],
  ])('an address of %i characters: %i', async (length, status) => {
    const served = await serve()
    const path = `/healthz?${'x'.repeat(length - '/healthz?'.length)}`

    expect((await sendRaw(served.port, get(path))).status).toBe(status)
  })

  it('headers above 16 KiB are answered 431 with a body and our headers', async () => {
    const served = await serve()

    const answer = await sendRaw(served.port, get('/healthz', `X-Long: ${'x'.repeat(17_000)}`))

    expect(answer.status).toBe(431)
    expect(JSON.parse(answer.body)).toMatchObject({ ok: false, status: 'headers_too_large' })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('connection')).toBe('close')
  })

  it('a client that sends its headers slowly is answered 408, and others are served meanwhile', async () => {
    const served = await serve({}, { headerMs: 500, requestMs: 1_000 })

    const slow = converse(served.port, ['GET /healthz HTTP/1.1\r\nHost: local', 300, 'h'])
    await expectAlive(served)

    expect(parseAnswer(await slow).status).toBe(408)
  })

  it('a client that does not take its answer is cut off', async () => {
    const served = await serve({}, { answerMs: 500 })
    const socket = connect(served.port, '127.0.0.1')
    socket.pause()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined)
    // More answers than fit into the buffers of both ends.
    socket.write(get('/api/v1/status').repeat(4_000))

    await new Promise((resolve) => setTimeout(resolve, 2_500))
    socket.resume()
    await closed
    await expectAlive(served)
  }, 15_000)

  it('a body on a read is not waited for', async () => {
    const served = await serve()

    const answer = await sendRaw(served.port, get('/healthz', 'Content-Length: 1000000'))

    expect(answer.status).toBe(200)
    expect(answer.headers.get('connection')).toBe('close')
  })

  it('an expectation of 100 Continue is not fulfilled', async () => {
    const served = await serve()

    const answer = await sendRaw(
      served.port,
      `POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`,
    )

    expect(answer.status).toBe(405)
    expect(answer.headers.get('connection')).toBe('close')
  })

  it('an expectation nobody knows does not lead past the guard', async () => {
    const served = await serve()
    const answer = await sendRaw(served.port, get('/healthz', 'Expect: a-miracle'))
    const foreign = await sendRaw(
      served.port,
      `GET /healthz HTTP/1.1\r\nHost: evil.example\r\nExpect: a-miracle\r\n\r\n`,
    )

    expect([answer.status, foreign.status]).toEqual([200, 403])
    for (const { headers } of [answer, foreign])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('bytes that are no HTTP request', () => {
  it.each([
    ['random bytes', Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 7919) % 256))],
    ['a bad percent escape', get('/%zz%')],
    ['a megabyte of address', `GET /${'x'.repeat(1_000_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ['a TLS hello', Buffer.from('16030100a5010000a1', 'hex')],
    ['both lengths', get('/healthz', 'Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('%s does no harm', async (_what, bytes) => {
    const served = await serve()

    const answer = await sendRaw(served.port, bytes)

    expect([0, 400, 404, 414, 431]).toContain(answer.status)
    await expectAlive(served)
  })

  it('closes a client that keeps its side open after an error', async () => {
    const served = await serve()
    const socket = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true })
    const closed = new Promise<string>((resolve) => {
      socket.on('error', () => resolve('closed'))
      socket.on('close', () => resolve('closed'))
    })
    socket.resume()
    socket.write('no http at all\r\n\r\n')

    const writing = setInterval(() => socket.write('x'), 200)
    const outcome = await Promise.race([
      closed,
      new Promise((resolve) => setTimeout(resolve, 5_000, 'still open')),
    ])
    clearInterval(writing)
    socket.destroy()

    expect(outcome).toBe('closed')
  })

  it('pipelined requests are all answered', async () => {
    const served = await serve()

    const text = await converse(served.port, [
      get('/healthz') + get('/api/v1/health') + get('/nope', 'Connection: close'),
    ])

    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual([
      '200',
      '200',
      '404',
    ])
  })

  it('a second Host behind two thousand headers is still seen', async () => {
    const served = await serve()
    const filler = Array.from({ length: 2_100 }, () => 'a:')

    expect(
      (await sendRaw(served.port, get('/healthz', ...filler, 'Host: evil.example'))).status,
    ).toBe(400)
  })
})

describe('the guard in place', () => {
  it('judges every request of a connection alike', async () => {
    const served = await serve()

    const text = await converse(served.port, [
      get('/healthz'),
      100,
      get('/healthz'),
      100,
      get('/healthz', 'Origin: http://evil.example'),
    ])

    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual([
      '200',
      '200',
      '403',
    ])
  })

  it('logs what it refused, cut, with what to do', async () => {
    const served = await serve()

    const answer = await sendRaw(
      served.port,
      `GET /healthz HTTP/1.1\r\nHost: ${'long-name'.repeat(6)}.${'b'.repeat(60)}.example\r\n\r\n`,
    )

    expect(answer.status).toBe(403)
    expect(served.logged).toHaveLength(1)
    expect(served.logged[0]).toContain('--allowed-host')
    expect(JSON.parse(served.logged[0]?.replace('request refused ', '') ?? '').value).toHaveLength(
      64,
    )
    expect(answer.text).not.toContain('long-name')
  })

  it('notes a scheduler whose host it refuses, and no other program', async () => {
    const served = await serve()
    const ask = (host: string, agent: string) =>
      sendRaw(
        served.port,
        `GET /api/v1/recommendations?upstream=tokyo HTTP/1.0\r\nHost: ${host}\r\nUser-Agent: ${agent}\r\n\r\n`,
      )
    await ask('monitor', 'svc-quota-scheduler/0.2.0')
    await ask('monitor', 'curl/8')
    await ask(`127.0.0.1:${served.port}`, 'svc-quota-scheduler/0.2.0')

    expect(served.logged.filter((line) => line.startsWith('asked'))).toEqual([
      'asked tokyo host',
      'asked tokyo null',
    ])
  })
})

describe('start and stop', () => {
  it('lets a running answer end, refuses the next on the same connection, and closes', async () => {
    const served = await serve()
    const socket = connect(served.port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    // Half a request keeps the connection busy while the server stops.
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n')
    await new Promise((resolve) => setTimeout(resolve, 100))

    const stopped = served.http.stop()
    socket.write('\r\n')
    await closed
    await stopped
    await served.http.stop()

    expect(parseAnswer(text).status).toBe(503)
    expect(parseAnswer(text).headers.get('connection')).toBe('close')
    expect(JSON.parse(parseAnswer(text).body)).toMatchObject({ ok: false, status: 'shutting_down' })
  })
})

describe('connections above the limit', () => {
  it('are closed and counted', async () => {
    const { http, port, refusedConnections } = await serveShell({}, { connections: 2 })
    const clients = Array.from({ length: 5 }, () =>
      connect(port, '127.0.0.1').on('error', () => undefined),
    )

    await vi.waitFor(() => expect(refusedConnections()).toBe(3), { timeout: 60_000 })

    for (const client of clients) client.destroy()
    await http.stop()
  })
})

describe('a refusal', () => {
  it.each([
    {
      head: 'GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: null',
      status: 403,
      says: /Origin header is null/,
      saysNot: /allowed_hosts/,
    },
    {
      head: 'GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://other.example',
      status: 403,
      says: /origin.*allowed_hosts/,
      saysNot: /host name is not/,
    },
    {
      head: 'GET / HTTP/1.1\r\nHost: other.example',
      status: 403,
      says: /host name.*allowed_hosts/,
      saysNot: /origin/i,
    },
    {
      head: 'GET / HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site',
      status: 403,
      says: /another site/,
      saysNot: /allowed_hosts/,
    },
    {
      head: 'GET //x HTTP/1.1\r\nHost: localhost',
      status: 400,
      says: /target/,
      saysNot: /Host header/,
    },
    {
      head: 'GET http://other.example/ HTTP/1.1\r\nHost: localhost',
      status: 400,
      says: /same host/,
      saysNot: /exactly one/,
    },
    {
      head: 'GET / HTTP/1.1\r\nHost: a\r\nHost: b',
      status: 400,
      says: /exactly one/,
      saysNot: /target/,
    },
  ])('$head is answered $status by its own cause', async ({ head, status, says, saysNot }) => {
    const { http, port } = await serveShell()
    const answer = await sendRaw(port, `${head}\r\n\r\n`)
    await http.stop()

    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body).error).toMatch(says)
    expect(JSON.parse(answer.body).error).not.toMatch(saysNot)
  })
})

describe('a client that asks for much at once and leaves', () => {
  const collectGarbage = () => {
    setFlagsFromString('--expose-gc')
    return (runInNewContext('gc') as () => void)()
  }

  it('keeps nothing of answers that were still queued when the connection ended', async () => {
    const asked: WeakRef<object>[] = []
    const app: App = new Hono()
    // The first answer is never ready, so all others wait for their turn.
    app.get('*', () => new Promise<Response>(() => undefined))
    const http = createHttpServer({
      app,
      events: { open: () => false, close: () => undefined },
      guard: ({ rawHeaders, url }) => {
        asked.push(new WeakRef(rawHeaders))
        return { allowed: true, path: url }
      },
      limits: httpLimits,
      log: silentLog,
      monotonicMs: () => performance.now(),
      date: null,
      report: { count: () => undefined },
      schedulerAsked() {},
      onResponse: () => undefined,
    })
    const url = new URL(await http.listen('127.0.0.1', 0))
    const client = connect(Number(url.port), '127.0.0.1')
    client.write(get('/healthz').repeat(50))
    await vi.waitFor(() => expect(asked).toHaveLength(50))
    client.destroy()

    await vi.waitFor(
      () => {
        collectGarbage()
        expect(asked.filter((headers) => headers.deref() !== undefined)).toEqual([])
      },
      { timeout: 60_000, interval: 200 },
    )
    await http.stop()
  })
})
