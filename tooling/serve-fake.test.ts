import { createFakeUpstream, livePool } from '@svc/collector/testing'
import { epochMs } from '@svc/core'
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
  const fake = createFakeUpstream({ now: () => NOW, managementKey: 'key', accounts: livePool(3, NOW) })
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

  await expect(fetch(`${url}/healthz`, { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout')
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
  { action: 'fault', body: { route: 'nowhere', kind: 'drop' }, status: 400 },
  { action: 'fault', body: { route: 'healthz', kind: 'delay', delayMs: -1 }, status: 400 },
  { action: 'vendor', body: { account: 'user1@example.com', behaviour: 'token_invalidated' }, status: 200 },
  { action: 'vendor', body: { account: 'user1@example.com', behaviour: 'no_windows' }, status: 200 },
  { action: 'disable', body: { account: 'nobody@example.com' }, status: 400 },
  { action: 'toString', body: {}, status: 400 },
  { action: 'restart', body: null, status: 400 },
  { action: 'restart', body: {}, status: 200 },
])('control $action $body answers $status', async ({ action, body, status }) => {
  const { url } = await serve()

  const response = await fetch(`${url}/__control/${action}`, { method: 'POST', body: JSON.stringify(body) })

  expect(response.status).toBe(status)
})

it('a fault set by hand shows at once', async () => {
  const { url } = await serve()

  await fetch(`${url}/__control/fault`, { method: 'POST', body: JSON.stringify({ route: 'healthz', kind: 'status', status: 503 }) })

  expect((await fetch(`${url}/healthz`)).status).toBe(503)
})
