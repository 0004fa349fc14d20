import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RefreshElsewhere, RefreshTarget } from '@svc/core/service'
import { fixedClock, NOW, virtualClock } from '@svc/core/testing'
import { createWording } from '@svc/views'
import { afterEach, describe, expect, it } from 'vitest'
import type { RefreshAuth } from '../guards/refresh-auth.ts'
import { type QuotaRefreshDeps, quotaRefresh } from './quota-refresh.ts'

interface Circumstances {
  readonly auth?: Partial<RefreshAuth>
  readonly clock?: QuotaRefreshDeps['clock']
  readonly elsewhere?: RefreshElsewhere
}

const tally = { queued: 3, done: 1, failed: 0 }
const UNKNOWN = 'nobody'
/** An account that another monitor queries. */
const ELSEWHERE = 'asked-elsewhere'

let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})

/** The route behind a real socket; a refusal is answered with its slug. */
async function serve({ auth = {}, clock = fixedClock(), elsewhere }: Circumstances = {}) {
  const asked: (RefreshTarget | 'cancel')[] = []
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
    elsewhere: async () => elsewhere ?? null,
    async request(target) {
      asked.push(target)
      if (target.scope === 'account' && target.accountKey === UNKNOWN) return null
      if (target.scope === 'account' && target.accountKey === ELSEWHERE)
        return { status: 'standby', holder: 'host-b:4515' }
      return { status: 'running', target, startedAt: NOW, expectedEndAt: NOW, tally }
    },
    async cancel() {
      asked.push('cancel')
      return {
        status: 'partial',
        target: { scope: 'default' },
        startedAt: NOW,
        completedAt: NOW,
        tally,
        failure: 'cancelled',
      }
    },
    text: createWording('UTC'),
    clock,
  }
  server = createServer(async (request, answer) => {
    arrived.push(request)
    const answered = await quotaRefresh(request, deps)
    if (answered instanceof Response)
      answer.writeHead(answered.status, Object.fromEntries(answered.headers))
    else
      answer.writeHead(400, {
        'x-slug': answered.slug,
        'x-holder': answered.more?.holder ?? '',
        ...answered.headers,
      })
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

/** A JSON text of `bytes` bytes that requests the default scope. */
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
  it.each<readonly [what: string, body: string, type: string | null, target: RefreshTarget]>([
    ['without a body', '', null, { scope: 'default' }],
    [
      'of disabled accounts',
      '{"scope":"disabled-diagnostics"}',
      'application/json',
      { scope: 'disabled-diagnostics' },
    ],
    [
      'of one account',
      '{"scope":"account","accountKey":"c3ae"}',
      'application/json',
      { scope: 'account', accountKey: 'c3ae' },
    ],
    ['with a charset', '{}', 'Application/JSON; charset=utf-8', { scope: 'default' }],
    ['of 4 KiB', padded(4_096), 'application/json', { scope: 'default' }],
  ])('$0 is taken, and answered once it shows', async (_, body, type, target) => {
    const { asked, post } = await serve()
    const answer = await post(body, type)

    expect([answer.status, answer.headers.get('cache-control')]).toEqual([202, 'no-store'])
    expect(await answer.json()).toMatchObject({
      ok: true,
      status: 'running',
      ...target,
      queued: 3,
      done: 1,
      expectedEndAt: '2026-11-20T12:00:00.000Z',
    })
    expect(asked).toEqual([target])
  })

  it('to be cancelled begins nothing, and is answered with how it has ended', async () => {
    const { asked, post } = await serve()
    const answer = await post('{"cancel":true}')

    expect(answer.status).toBe(202)
    expect(await answer.json()).toMatchObject({
      ok: true,
      status: 'partial',
      reason: 'cancelled',
      ...tally,
    })
    expect(asked).toEqual(['cancel'])
  })

  it('of an account that nobody knows is told so', async () => {
    const { post } = await serve()
    const answer = await post(JSON.stringify({ scope: 'account', accountKey: UNKNOWN }))

    expect(answer.headers.get('x-slug')).toBe('unknown_account')
  })

  it('at a standby is refused with the name of the monitor that asks', async () => {
    const { post } = await serve()
    const { headers } = await post(JSON.stringify({ scope: 'account', accountKey: ELSEWHERE }))

    expect([headers.get('x-slug'), headers.get('x-holder')]).toEqual(['standby', 'host-b:4515'])
  })

  it.each([
    { who: 'somebody without the credential', judged: 'unauthorized', holder: '' },
    { who: 'somebody who may ask', judged: 'allowed', holder: 'host-b:4515' },
  ] as const)(
    'at a standby is refused to $who before anything else is judged',
    async ({ judged, holder }) => {
      const elsewhere = { status: 'standby', holder: 'host-b:4515' } as const
      const { asked, post } = await serve({ auth: { judge: async () => judged }, elsewhere })
      const { headers } = await post('[]')

      expect([headers.get('x-slug'), headers.get('x-holder'), asked]).toEqual([
        'standby',
        holder,
        [],
      ])
    },
  )

  it.each<{ readonly what: string; readonly body: string; readonly type?: string }>([
    { what: 'that is no JSON', body: 'scope=default' },
    { what: 'of another type', body: '{}', type: 'text/plain' },
    { what: 'with a scope nobody knows', body: '{"scope":"all"}' },
    { what: 'that is a list', body: '[]' },
    { what: 'that cancels and begins', body: '{"cancel":true,"scope":"default"}' },
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
    readonly scheme?: string | null
  }>([
    {
      what: 'where nothing can be refreshed',
      auth: { available: async () => false, judge: async () => 'foreign' },
      slug: 'refresh_unavailable',
    },
    { what: 'from another site', auth: { judge: async () => 'foreign' }, slug: 'forbidden_site' },
    {
      what: 'without the token of the page',
      auth: { mode: 'page-token', judge: async () => 'unauthorized' },
      slug: 'unauthorized',
    },
    {
      what: 'without the management key',
      auth: { mode: 'management-key', judge: async () => 'unauthorized' },
      slug: 'unauthorized_key',
      scheme: 'Bearer',
    },
  ])('is refused $what, before the body is looked at', async ({ auth, slug, scheme = null }) => {
    const { asked, post } = await serve({ auth })
    for (const body of ['no JSON, and more than may be sent'.repeat(200), '{"cancel":true}']) {
      const { headers } = await post(body)

      expect([headers.get('x-slug'), headers.get('www-authenticate')]).toEqual([slug, scheme])
    }
    expect(asked).toEqual([])
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
