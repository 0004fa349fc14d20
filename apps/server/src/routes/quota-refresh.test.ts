import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RefreshScope, RunningRefresh } from '@svc/core/service'
import { fixedClock, NOW, virtualClock } from '@svc/core/testing'
import { createWording } from '@svc/views'
import { afterEach, describe, expect, it } from 'vitest'
import type { RefreshAuth } from '../guards/refresh-auth.ts'
import { type QuotaRefreshDeps, quotaRefresh } from './quota-refresh.ts'

interface Circumstances {
  readonly auth?: Partial<RefreshAuth>
  readonly clock?: QuotaRefreshDeps['clock']
}

let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})

/** The route behind a real socket; a refusal is answered with its slug. */
async function serve({ auth = {}, clock = fixedClock() }: Circumstances = {}) {
  const asked: RefreshScope[] = []
  const arrived: IncomingMessage[] = []
  const deps: QuotaRefreshDeps = {
    auth: {
      mode: 'none',
      pageToken: null,
      available: async () => true,
      judge: async () => 'allowed',
      refusalDelayMs: () => 0,
      ...auth,
    },
    async request(scope) {
      asked.push(scope)
      return { status: 'running', scope, startedAt: NOW } as RunningRefresh
    },
    text: createWording('UTC'),
    clock,
  }
  server = createServer(async (request, answer) => {
    arrived.push(request)
    const answered = await quotaRefresh(request, deps)
    if (answered instanceof Response)
      answer.writeHead(answered.status, Object.fromEntries(answered.headers))
    else answer.writeHead(400, { 'x-slug': answered.slug, ...answered.headers })
    answer.end(answered instanceof Response ? await answered.text() : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const post = (body: string | ReadableStream, type: string | null = 'application/json') =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body,
      headers: type === null ? {} : { 'content-type': type },
      ...(typeof body === 'string' ? {} : { duplex: 'half' }),
    } as RequestInit)
  return { asked, arrived, post }
}

/** `bytes` of a JSON text that asks for the default scope. */
const padded = (bytes: number) => '{"scope":"default"}'.padEnd(bytes, ' ')
const inPieces = (text: string) =>
  new ReadableStream({
    start(pieces) {
      for (const letter of text.match(/.{1,1000}/g) ?? [])
        pieces.enqueue(new TextEncoder().encode(letter))
      pieces.close()
    },
  })

describe('a request for a refresh', () => {
  it.each<{
    readonly what: string
    readonly body: string
    readonly type: string | null
    readonly scope: RefreshScope
  }>([
    { what: 'without a body', body: '', type: null, scope: 'default' },
    {
      what: 'of disabled accounts',
      body: '{"scope":"disabled-diagnostics"}',
      type: 'application/json',
      scope: 'disabled-diagnostics',
    },
    {
      what: 'with a charset',
      body: '{}',
      type: 'Application/JSON; charset=utf-8',
      scope: 'default',
    },
    { what: 'of 4 KiB', body: padded(4_096), type: 'application/json', scope: 'default' },
  ])('$what is taken, and answered once it shows', async ({ body, type, scope }) => {
    const { asked, post } = await serve()
    const answer = await post(body, type)

    expect([answer.status, answer.headers.get('cache-control')]).toEqual([202, 'no-store'])
    expect(await answer.json()).toMatchObject({ ok: true, scope })
    expect(asked).toEqual([scope])
  })

  it.each<{ readonly what: string; readonly body: string; readonly type?: string }>([
    { what: 'that is no JSON', body: 'scope=default' },
    { what: 'of another type', body: '{}', type: 'text/plain' },
    { what: 'with a scope nobody knows', body: '{"scope":"all"}' },
    { what: 'that is a list', body: '[]' },
  ])('with a body $what is refused, and begins nothing', async ({ body, type }) => {
    const { asked, post } = await serve()
    const answer = await post(body, type)

    expect([answer.headers.get('x-slug'), asked]).toEqual(['invalid_refresh', []])
  })

  it.each([
    { what: 'announced', body: padded(4_097) },
    { what: 'sent in pieces without a length', body: inPieces(padded(4_097)) },
  ])('with a body of more than 4 KiB, $what, is refused', async ({ body }) => {
    const { asked, post } = await serve()

    expect((await post(body)).headers.get('x-slug')).toBe('too_large')
    expect(asked).toEqual([])
  })
})

describe('who may not ask', () => {
  it.each<{
    readonly what: string
    readonly auth: Partial<RefreshAuth>
    readonly slug: string
    readonly scheme: string | null
  }>([
    {
      what: 'where nothing can be refreshed',
      auth: { available: async () => false, judge: async () => 'foreign' },
      slug: 'refresh_unavailable',
      scheme: null,
    },
    {
      what: 'from another site',
      auth: { judge: async () => 'foreign' },
      slug: 'forbidden_site',
      scheme: null,
    },
    {
      what: 'without the token of the page',
      auth: { mode: 'page-token', judge: async () => 'unauthorized' },
      slug: 'unauthorized',
      scheme: null,
    },
    {
      what: 'without the management key',
      auth: { mode: 'management-key', judge: async () => 'unauthorized' },
      slug: 'unauthorized_key',
      scheme: 'Bearer',
    },
  ])('is refused $what, before the body is looked at', async ({ auth, slug, scheme }) => {
    const { asked, post } = await serve({ auth })
    const { headers } = await post('no JSON, and more than may be sent'.repeat(200))

    expect([headers.get('x-slug'), headers.get('www-authenticate'), asked]).toEqual([
      slug,
      scheme,
      [],
    ])
  })

  it('is refused after the delay that too many guesses bring', async () => {
    const clock = virtualClock(async () => undefined)
    const { arrived, post } = await serve({
      clock,
      auth: { judge: async () => 'unauthorized', refusalDelayMs: () => 1_000 },
    })
    let slug: string | null = null
    const refused = post('').then(({ headers }) => {
      slug = headers.get('x-slug')
    })
    await expect.poll(() => [arrived.length, clock.scheduledCount]).toEqual([1, 1])
    await clock.advance(999)
    expect([clock.scheduledCount, slug]).toEqual([1, null])

    await clock.advance(1)
    await refused
    expect(slug).toBe('unauthorized')
  })
})
