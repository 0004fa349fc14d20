import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import type { NotifyKind } from '@svc/core/notify'
import { NOW, virtualClock } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { deliver } from './delivery.ts'
import { worded } from './notifier.ts'
import {
  anAddressFile,
  aRawReceiver,
  aReceiver,
  aTarget,
  aToldNotice,
  closeReceivers,
  realClock,
  words,
} from './testing/receivers.ts'

afterEach(closeReceivers)

const message = worded(
  { id: 'm', at: NOW, notices: [aToldNotice('gateway_down')], omittedCount: 0 },
  'phone',
  words,
)
const real = { clock: realClock, fetch }
const never = new AbortController().signal
const outcome = (kind: NotifyKind, address: string, deps = real) =>
  deliver(aTarget(kind, address), message, deps, never)

const answered =
  (
    status: number,
    headers: Readonly<Record<string, string>> = {},
    body: object | string = '',
  ): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))

describe('a receiver that answers', () => {
  it.each<[number, Readonly<Record<string, string>>, string | null, number | null]>([
    [200, {}, null, null],
    [204, {}, null, null],
    [400, {}, 'refused', null],
    [404, { 'retry-after': '9' }, 'refused', 9],
    [408, {}, 'timeout', null],
    [429, { 'retry-after': '120' }, 'throttled', 120],
    [429, { 'retry-after': '86400' }, 'throttled', 3600],
    [
      429,
      { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:05:00 GMT' },
      'throttled',
      300,
    ],
    [429, { 'retry-after': 'soon' }, 'throttled', null],
    [500, {}, 'unavailable', null],
    [503, { 'retry-after': '30' }, 'unavailable', 30],
  ])('%i with %j: %s after %s s', async (status, headers, code, retryAfterSeconds) => {
    const { url } = await aReceiver(answered(status, headers))

    expect(await outcome('webhook', `${url}/x`)).toEqual(
      code === null ? null : { code, retryAfterSeconds },
    )
  })

  it.each([301, 302, 303, 307, 308])('%i with another address is not followed', async (status) => {
    const other = await aReceiver()
    const { url } = await aReceiver(answered(status, { location: other.url }))

    expect(await outcome('webhook', url)).toMatchObject({ code: 'redirected' })
    expect(other.seen).toEqual([])
  })

  it.each<[NotifyKind, string, number, object | string, string | null, number | null]>([
    ['telegram', '/bot1:t/sendMessage?chat_id=1', 200, { ok: true, result: {} }, null, null],
    [
      'telegram',
      '/bot1:t/sendMessage?chat_id=1',
      403,
      { ok: false, error_code: 403 },
      'refused',
      null,
    ],
    [
      'telegram',
      '/bot1:t/sendMessage?chat_id=1',
      200,
      { ok: false, error_code: 502 },
      'unavailable',
      null,
    ],
    [
      'telegram',
      '/bot1:t/sendMessage?chat_id=1',
      429,
      { ok: false, error_code: 429, parameters: { retry_after: 35 } },
      'throttled',
      35,
    ],
    ['feishu', '/hook', 200, { code: 0, msg: 'success', StatusCode: 0 }, null, null],
    ['feishu', '/hook', 200, { code: 19024, msg: 'Key Words Not Found' }, 'refused', null],
    ['feishu', '/hook', 200, { code: 11232, msg: 'frequency limited' }, 'throttled', null],
    ['slack', '/services', 200, 'ok', null, null],
    ['slack', '/services', 403, 'action_prohibited', 'refused', null],
    ['slack', '/services', 200, { ok: false, error: 'x' }, 'refused', null],
    ['bark', '/key', 200, { code: 200, message: 'success' }, null, null],
    ['bark', '/key', 200, { code: 400, message: 'failed' }, 'refused', null],
    ['discord', '/api', 429, { retry_after: 2 }, 'throttled', null],
    ['feishu', '/hook', 200, 'x'.repeat(100_000), null, null],
  ])(
    'as %s, at %s with %i and %j: %s after %s s',
    async (kind, path, status, body, code, retryAfterSeconds) => {
      const { url } = await aReceiver(answered(status, {}, body))

      expect(await outcome(kind, url + path)).toEqual(
        code === null ? null : { code, retryAfterSeconds },
      )
    },
  )

  it.each<[NotifyKind, string]>([
    ['webhook', '/x'],
    ['feishu', '/hook'],
  ])('without an end is read for a little while: %s', async (kind, path) => {
    let isClosed: (value: boolean) => void = () => undefined
    const closed = new Promise<boolean>((resolve) => {
      isClosed = resolve
    })
    const { url } = await aReceiver((request, response) => {
      const more = () => response.write('x'.repeat(1000), () => setImmediate(more))
      request.socket.on('close', () => isClosed(true))
      more()
    })

    expect(await outcome(kind, url + path)).toBe(null)
    expect(await closed).toBe(true)
  })
})

describe('a receiver that does not answer', () => {
  it('because it reads a byte a second, is given 10 s', async () => {
    const clock = virtualClock(() => new Promise((resolve) => setImmediate(resolve)))
    let connected: () => void = () => undefined
    const connecting = new Promise<void>((resolve) => {
      connected = resolve
    })
    let readCount = 0
    const url = await aRawReceiver((socket) => {
      const read = () => {
        if (socket.read(1) !== null) readCount += 1
        clock.schedule(1000, read)
      }
      socket.once('readable', () => {
        read()
        connected()
      })
    })
    let ended: unknown = 'under way'
    const sending = outcome('webhook', url, { clock, fetch }).then((result) => {
      ended = result
    })
    await connecting

    await clock.advance(9_999)
    expect(ended).toBe('under way')
    await clock.advance(1)
    await sending
    expect(ended).toEqual({ code: 'timeout', retryAfterSeconds: null })
    expect(readCount).toBeGreaterThan(5)
  })

  it('wholly within 10 s is not waited for, where the answer counts', async () => {
    const clock = virtualClock(() => new Promise((resolve) => setImmediate(resolve)))
    let answered: () => void = () => undefined
    const answering = new Promise<void>((resolve) => {
      answered = resolve
    })
    const { url } = await aReceiver((_, response) => {
      response.write('{"code":', answered)
    })
    const sending = outcome('feishu', `${url}/hook`, { clock, fetch })
    await answering

    await clock.advance(10_000)
    expect(await sending).toMatchObject({ code: 'timeout' })
  })

  it('because it is stopped, hangs up, or is not there, is unreachable', async () => {
    const hangsUp = await aRawReceiver((socket) => socket.destroy())
    expect(await outcome('webhook', hangsUp)).toMatchObject({ code: 'unreachable' })
    expect(await outcome('webhook', 'http://127.0.0.1:1')).toMatchObject({ code: 'unreachable' })
    const speaksElse = await aRawReceiver((socket) => socket.end('SSH-2.0\r\n'))
    expect(await outcome('webhook', speaksElse)).toMatchObject({ code: 'unreachable' })
  })

  it('because its certificate is its own, fails by TLS and is told nothing', async (context) => {
    const folder = dirname(anAddressFile('', 'x'))
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      `${folder}/key`,
      '-out',
      `${folder}/cert`,
    ])
    if (made.error !== undefined && process.env.CI === undefined)
      return context.skip('skipped, because openssl is not installed')
    let requests = 0
    const server = createTlsServer(
      { key: readFileSync(`${folder}/key`), cert: readFileSync(`${folder}/cert`) },
      (_, response) => {
        requests += 1
        response.end()
      },
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo

    expect(await outcome('webhook', `https://127.0.0.1:${port}/x`)).toMatchObject({ code: 'tls' })
    expect(requests).toBe(0)
    server.close()
    const { url } = await aReceiver()
    expect(await outcome('webhook', url.replace('http:', 'https:'))).toMatchObject({ code: 'tls' })
  })
})

it('an address is read at each attempt', async () => {
  const [first, second] = [await aReceiver(), await aReceiver()]
  const target = aTarget('webhook', first.url)
  const send = () => deliver(target, message, real, never)

  expect(await send()).toBe(null)
  writeFileSync(target.urlFile, second.url)
  expect(await send()).toBe(null)
  writeFileSync(target.urlFile, 'nonsense')
  expect(await send()).toMatchObject({ code: 'bad_address' })
  rmSync(target.urlFile)
  expect(await send()).toMatchObject({ code: 'address_unreadable' })
  expect([first.seen.length, second.seen.length]).toEqual([1, 1])
})
