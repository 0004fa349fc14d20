import { connect } from 'node:net'
import { epochMs } from '@svc/core'
import { createFakeUpstream, livePool } from '@svc/fake-proxy'
import { afterEach, expect, it } from 'vitest'
import { type ServedFake, serveFake } from './serve-fake.ts'

const NOW = epochMs(1_795_176_000_000)
const HEADERS = { authorization: 'Bearer key' }

let served: ServedFake | null = null
afterEach(async () => {
  await served?.close()
  served = null
})

async function serve() {
  const fake = createFakeUpstream({
    now: () => NOW,
    managementKey: 'key',
    accounts: livePool(3, NOW),
  })
  served = await serveFake(fake, 0)
  return { fake, url: served.url }
}

it('answers over a socket with the date of the fake', async () => {
  const { url } = await serve()

  const response = await fetch(`${url}/v0/management/auth-files`, { headers: HEADERS })

  expect(response.headers.get('date')).toBe('Fri, 20 Nov 2026 12:00:00 GMT')
  expect(((await response.json()) as { files: unknown[] }).files).toHaveLength(3)
})

it('closes the connection without an answer for a drop', async () => {
  const { fake, url } = await serve()
  fake.failNext('healthz', { kind: 'drop' })

  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

it('delays an answer', async () => {
  const { fake, url } = await serve()
  fake.setFault('healthz', { kind: 'delay', delayMs: 300 })

  await expect(fetch(`${url}/healthz`, { signal: AbortSignal.timeout(50) })).rejects.toThrow(
    'timeout',
  )
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

it('drips a body byte by byte after the headers', async () => {
  const { fake, url } = await serve()
  fake.setFault('healthz', { kind: 'drip' })

  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(3_000) })
  expect(response.status).toBe(200)
  const first = await response.body?.getReader().read()

  expect(first?.value).toHaveLength(1)
})

it.each([
  { action: 'fault', body: { route: 'healthz', kind: 'status', status: 503 }, status: 200 },
  { action: 'fault', body: { route: 'healthz', kind: 'none' }, status: 200 },
  { action: 'fault', body: { route: 'healthz', kind: 'close_after', once: true }, status: 200 },
  { action: 'clock', body: { aheadMs: 'soon' }, status: 400 },
  { action: 'fault', body: { route: 'nowhere', kind: 'drop' }, status: 400 },
  { action: 'fault', body: { route: 'healthz', kind: 'delay', delayMs: -1 }, status: 400 },
  {
    action: 'vendor',
    body: { account: 'user1@example.com', behaviour: 'token_invalidated' },
    status: 200,
  },
  {
    action: 'vendor',
    body: { account: 'user1@example.com', behaviour: 'no_windows' },
    status: 200,
  },
  { action: 'disable', body: { account: 'nobody@example.com' }, status: 400 },
  { action: 'toString', body: {}, status: 400 },
  { action: 'restart', body: null, status: 400 },
  { action: 'restart', body: {}, status: 200 },
])('control $action $body answers $status', async ({ action, body, status }) => {
  const { url } = await serve()

  const response = await fetch(`${url}/__control/${action}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })

  expect(response.status).toBe(status)
})

it('a fault set by hand shows at once', async () => {
  const { url } = await serve()

  await fetch(`${url}/__control/fault`, {
    method: 'POST',
    body: JSON.stringify({ route: 'healthz', kind: 'status', status: 503 }),
  })

  expect((await fetch(`${url}/healthz`)).status).toBe(503)
})

const QUIET_MS = 200

/** Everything that arrives for a GET before the connection ends, or has been quiet for a while after what is expected, and how it ended. */
function rawGet(
  url: string,
  expected: RegExp,
): Promise<{ readonly text: string; readonly ending: string }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write('GET /healthz HTTP/1.1\r\nHost: fake\r\n\r\n')
  let text = ''
  return new Promise((resolve) => {
    const end = (ending: string) => {
      resolve({ text, ending })
      socket.destroy()
    }
    // A busy machine may be quiet before everything has come.
    socket.setTimeout(QUIET_MS).on('timeout', () => {
      if (expected.test(text)) end('open')
      else socket.setTimeout(QUIET_MS)
    })
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part
    })
    socket.on('end', () => end('closed'))
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'error'))
  })
}

const BODY = '{"status":"ok"}'

it.each([
  { kind: 'reset', bytes: /Content-Length: 15\r\n\r\n\{"statu$/, ending: 'ECONNRESET' },
  {
    kind: 'length_too_long',
    bytes: new RegExp(`Content-Length: 25\r\n\r\n${BODY}$`),
    ending: 'closed',
  },
  {
    kind: 'length_too_short',
    bytes: new RegExp(`Content-Length: 5\r\n\r\n${BODY}$`),
    ending: 'open',
  },
  { kind: 'broken_chunks', bytes: /chunked\r\n\r\n20\r\n.*\r\nno chunk size\r\n$/, ending: 'open' },
  {
    kind: 'close_after',
    bytes: new RegExp(`Content-Length: 15\r\n\r\n${BODY}$`),
    ending: 'closed',
  },
  { kind: 'header_flood', bytes: /X-Flood-99999: 1\r\n/, ending: 'open' },
  { kind: 'header_line', bytes: /X-Flood: 1{1048576}\r\n/, ending: 'open' },
] as const)('$kind goes out as broken as it is, once', async ({ kind, bytes, ending }) => {
  const { fake, url } = await serve()
  fake.failNext('healthz', { kind })

  const broken = await rawGet(url, bytes)

  expect(broken.text).toMatch(bytes)
  expect(broken.ending).toBe(ending)
  expect(await (await fetch(`${url}/healthz`)).text()).toBe(BODY)
})

it('a huge body ends when nobody reads it any more', async () => {
  const { fake, url } = await serve()
  fake.failNext('healthz', { kind: 'huge' })

  const response = await fetch(`${url}/healthz`)
  const first = await response.body?.getReader().read()

  expect(response.headers.get('content-length')).toBeNull()
  expect(first?.value?.length).toBeGreaterThan(0)
})

it('refuses connections while closed, and answers at the same address again', async () => {
  const { url } = await serve()
  const kept = await fetch(`${url}/healthz`)
  await kept.text()

  await served?.close()
  await expect(fetch(`${url}/healthz`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })

  await served?.reopen()
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

it('a clock that is ahead shows in the date, and by hand too', async () => {
  const { url } = await serve()

  await fetch(`${url}/__control/clock`, {
    method: 'POST',
    body: JSON.stringify({ aheadMs: 600_000 }),
  })

  expect((await fetch(`${url}/healthz`)).headers.get('date')).toBe('Fri, 20 Nov 2026 12:10:00 GMT')
})
