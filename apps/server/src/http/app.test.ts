import { epochMs } from '@svc/core'
import { silentLog } from '@svc/core/testing'
import { placeAt } from '@svc/core/usage'
import type { ReadyAnswer } from '@svc/monitor'
import { encodeJson } from '@svc/monitor'
import { beforeAll, describe, expect, it } from 'vitest'
import { aDemoRefresh, historyOf } from '../testing/app-deps.ts'
import { type AppDeps, createApp, EVENTS_PATH, routeOf, routes } from './app.ts'

let payload: ReadyAnswer
let deps: AppDeps

beforeAll(async () => {
  payload = encodeJson({ text: 'řeka '.repeat(300) })
  deps = {
    payload: () => payload,
    payloadAt: async () => ({ answer: payload }),
    pick: async () => ({ answer: payload }),
    schedulerAsked() {},
    openapi: () => Promise.resolve(payload),
    calendar: () => Promise.resolve(payload),
    history: historyOf(payload, async () => ({
      bytes: payload.plain.bytes,
      left: null,
      rowsSince: null,
      unknownIds: [],
      whole: { from: epochMs(0), before: placeAt(epochMs(1)) },
    })),
    refresh: aDemoRefresh('none'),
    dashboard: { page: () => new Response('<!doctype html>'), asset: () => null },
    unready: () => null,
    metrics: async () => 'svc_quota_monitor_gateway_up 1\n',
    log: silentLog,
  }
})

type Asked = RequestInit & { readonly headers?: Record<string, string> }
const asker =
  (changes: Partial<AppDeps>) =>
  (path: string, init: Asked = {}) =>
    createApp({ ...deps, ...changes }).request(path, init, {
      incoming: { headers: init.headers ?? {} },
    })
const ask = (path: string, init: Asked = {}) => asker({})(path, init)
const headersOf = (answer: Response) => Object.fromEntries([...answer.headers].sort())

const SECURITY = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  vary: 'Accept-Encoding',
  'x-content-type-options': 'nosniff',
}
const readRoutes = routes.filter(
  (path) => path !== '/assets/*' && path !== '/api/v1/quota/refresh' && path !== EVENTS_PATH,
)
const JSON_PATHS = readRoutes.filter(
  (path) => path.startsWith('/api/v1/') && !path.includes('refresh') && !path.includes('rows'),
)

describe('the routes', () => {
  it.each(JSON_PATHS)('%s answers with ready bytes and exactly these headers', async (path) => {
    const answer = await ask(path)

    expect(answer.status).toBe(200)
    expect(headersOf(answer)).toEqual({
      ...SECURITY,
      'content-length': String(payload.plain.bytes.byteLength),
      'content-type': 'application/json; charset=utf-8',
      etag: payload.plain.etag,
    })
    expect(Buffer.from(await answer.arrayBuffer()).equals(payload.plain.bytes)).toBe(true)
  })

  it('/healthz says that the process is alive', async () => {
    const answer = await ask('/healthz')

    expect(await answer.text()).toBe('{"ok":true}')
    expect(headersOf(answer)).toEqual({
      ...SECURITY,
      'content-length': '11',
      'content-type': 'application/json; charset=utf-8',
    })
  })

  it('/readyz is 503 until it is ready, and says when to ask again', async () => {
    for (const method of ['GET', 'HEAD']) {
      const early = await createApp({ ...deps, unready: () => 'store_held' }).request(
        '/readyz',
        { method },
        { incoming: { headers: {} } },
      )
      expect([
        early.status,
        early.headers.get('retry-after'),
        early.headers.get('cache-control'),
      ]).toEqual([503, '5', 'no-store'])
      if (method === 'GET')
        expect(await early.json()).toMatchObject({ ok: false, status: 'store_held' })
      expect((await ask('/readyz', { method })).status).toBe(200)
    }
    expect(await (await ask('/readyz')).text()).toBe('{"ok":true}')
  })

  it('a table says in a header which of its parameters were not taken as given, and JSON in its body alone', async () => {
    const warnings = async (query: string) =>
      (await ask(`/api/v1/stats/series?${query}`)).headers.get('x-svc-quota-monitor-warnings')

    expect(await warnings('format=csv&range=1y&color=red')).toBe(
      'range: not one of 1h, 6h, 24h, 7d, 30d, all; 24h is shown | color: no such parameter; it is ignored',
    )
    expect(await warnings('format=csv&%0D%0AX-Evil:%20x=1')).toBe(
      '1 more parameter is not known and ignored',
    )
    expect(await warnings('format=csv&range=1h')).toBeNull()
    expect(await warnings('range=1y')).toBeNull()
  })

  it('usage of a provider that nobody knows is refused, with those that are known', async () => {
    const found = { unknown: { parameter: 'provider', allowed: ['codex', 'claude'] } }
    const history = { ...deps.history, cycles: async () => found }
    const send = asker({ history })
    const path = '/api/v1/stats/windows?provider=all'
    const answer = await send(path)

    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: 'The parameter provider takes codex, claude.',
      ...found.unknown,
    })
  })

  it('a question that nothing answers is refused with the reason, and a wrong filter with what it takes', async () => {
    const details = { requests: 2_000_000, limit: 1_000_000, longestFrom: null }
    const history = {
      ...deps.history,
      chart: async () => ({ refusal: { slug: 'too_many_requests' as const, details } }),
    }
    const send = asker({ history })
    const ask = async (query: string, of = 'series') => {
      const path = `/api/v1/stats/${of}?${query}`
      const answer = await send(path)
      return { status: answer.status, body: await answer.json() }
    }

    expect(await ask('group=account,client')).toMatchObject({ status: 422, body: details })
    expect(await ask('to=yesterday', 'windows')).toMatchObject({
      status: 400,
      body: { status: 'invalid_parameter', parameter: 'to' },
    })
    expect(await ask('status=teapot')).toMatchObject({
      status: 400,
      body: {
        status: 'invalid_parameter',
        parameter: 'status',
        allowed: ['auth', 'limit', 'vendor', 'other'],
      },
    })
  })

  it('the ranking names parameters that it does not know, of one proxy too', async () => {
    const send = asker({ payloadAt: async () => ({ answer: payload }) })
    const get = async (query: string, headers = {}) => {
      const sent = await send(`/api/v1/recommendations${query}`, { headers })
      return (await sent.json()) as { warnings?: string[] }
    }
    const plain = await get('')
    const warnings = ['color', 'sort'].map((name) => `${name}: no such parameter; it is ignored`)
    expect(plain.warnings).toBeUndefined()
    expect(await get('?upstream=tokyo')).toEqual(plain)
    expect(await get('?color=red&sort=up&color=blue', { 'accept-encoding': 'gzip' })).toEqual({
      ...plain,
      warnings,
    })
    expect(await get('?color=red&upstream=tokyo&sort=up')).toEqual({ ...plain, warnings })
    expect((await get('?%3Cscript%3E=1')).warnings).toEqual([
      '1 more parameter is not known and ignored',
    ])
  })

  it('?upstream= asks for the ranking, the status or the health of one proxy, and an unknown name is answered with the known ones', async () => {
    const asked: string[] = []
    const send = asker({
      async payloadAt({ filter, payload: name }) {
        asked.push(`${name} ${filter.upstream}`)
        return `${filter.upstream}` === 'tokyo'
          ? { answer: payload }
          : { unknown: { parameter: 'upstream', allowed: ['tokyo', 'berlin'] } }
      },
    })
    const get = (query: string) => send(`/api/v1/recommendations${query}`)

    expect((await get('?upstream=tokyo')).status).toBe(200)
    const unknown = await get('?upstream=%3Cparis%3E')
    expect(unknown.status).toBe(404)
    const text = await unknown.text()
    expect(JSON.parse(text)).toMatchObject({
      ok: false,
      status: 'unknown_upstream',
      upstreams: ['tokyo', 'berlin'],
      allowed: ['tokyo', 'berlin'],
    })
    expect(text).not.toContain('paris')
    expect((await get('')).status).toBe(200)
    for (const path of [
      'stats?upstream=x',
      'health?upstream=tokyo',
      'status?since=a&upstream=tokyo',
    ]) {
      const answer = await send(`/api/v1/${path}`)
      expect(answer.status).toBe(200)
    }
    expect(asked).toEqual([
      'recommendations tokyo',
      'recommendations <paris>',
      'health tokyo',
      'status tokyo',
    ])
  })

  it.each<readonly [query: string, asked: object | 'whole']>([
    ['', 'whole'],
    ['?', 'whole'],
    ['?plan=&limit=&routable=false', 'whole'],
    ['?limit=1000', { filter: {}, limit: 1000 }],
    ['?routable=true&limit=1', { filter: {}, routable: true, limit: 1 }],
    ['?plan=plus,%20pro&plan=team', { filter: { plan: ['plus', 'pro', 'team'] } }],
    ['?provider=codex&upstream=a,,b', { filter: { provider: ['codex'], upstream: ['a', 'b'] } }],
  ])('/api/v1/recommendations%s asks for %o', async (query, expected) => {
    const asked: unknown[] = []
    const send = asker({
      payload() {
        asked.push('whole')
        return payload
      },
      async payloadAt({ payload: _, compression, ...part }) {
        asked.push(part)
        return { answer: payload }
      },
    })
    await send(`/api/v1/recommendations${query}`)

    expect(asked).toEqual([expected])
  })

  it('a question of a scheduler is noted with what it reports, and whether its proxy is watched', async () => {
    const noted: unknown[] = []
    const send = asker({
      payloadAt: async ({ filter }) =>
        filter.upstream?.includes('paris')
          ? { unknown: { parameter: 'upstream', allowed: ['tokyo'] } }
          : { answer: payload },
      schedulerAsked: (question) => void noted.push(question),
    })
    const get = (path: string, agent: string | undefined, report?: string) =>
      send(`/api/v1/${path}`, {
        headers: {
          ...(agent === undefined ? {} : { 'user-agent': agent }),
          ...(report === undefined ? {} : { 'x-quota-scheduler': report }),
        },
      })
    const known = 'svc-quota-scheduler/0.2.0'
    await get('recommendations?provider=all', known)
    await get('recommendations?upstream=tokyo', known, 'asked=12; picked=9; follows=true')
    await get('recommendations?upstream=paris', known, 'asked=0; picked=0; follows=false')
    for (const report of ['asked=-1; picked=0; follows=true', 'asked=1', 'x'.repeat(9_000)])
      await get('recommendations?upstream=tokyo', known, report)
    // Not about its proxy.
    await get('recommendations?limit=0', known)
    await get('status?provider=all', known)
    for (const agent of [undefined, 'curl/8', `${known} x`, `x ${known}`, `${known}<b>`])
      await get('recommendations?provider=all', agent)

    const question = { version: '0.2.0', upstream: null, report: null, refusal: null }
    const atTokyo = { ...question, upstream: 'tokyo' }
    expect(noted).toEqual([
      question,
      { ...atTokyo, report: { askedCount: 12, pickCount: 9, follows: true } },
      {
        ...question,
        upstream: 'paris',
        report: { askedCount: 0, pickCount: 0, follows: false },
        refusal: 'upstream',
      },
      atTokyo,
      atTokyo,
      atTokyo,
    ])
  })

  it.each([
    ['limit=0', 'limit', '1..1000'],
    ['limit=1001', 'limit', '1..1000'],
    ['limit=3,4', 'limit', '1..1000'],
    ['limit=%3Cb%3E', 'limit', '1..1000'],
    ['routable=yes', 'routable', 'true, false'],
    ['plan=%3Cb%3E', 'plan', 'plus, pro'],
  ])('?%s is refused with what is allowed', async (query, parameter, allowed) => {
    const unknown = { parameter, allowed: allowed.split(', ') }
    const send = asker({ payloadAt: async () => ({ unknown }) })
    const answer = await send(`/api/v1/recommendations?${query}`)

    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({
      ok: false,
      status: 'unknown_value',
      error: `The parameter ${parameter} takes ${allowed}.`,
      ...unknown,
    })
  })

  it('/api/v1/pick asks for an account, by its filters and what the caller knows', async () => {
    const asked: unknown[] = []
    const pick = async (question: unknown) => {
      asked.push(question)
      return { answer: payload }
    }
    const send = asker({ pick })
    const get = (query: string) => send(`/api/v1/pick${query}`)
    await get('?keep=a.json&avoid=b.json,c.json&plan=plus&upstream=tokyo')
    const warned = await get('?keep=&avoid=&as=me')

    expect(asked).toEqual([
      {
        keep: 'a.json',
        avoid: ['b.json', 'c.json'],
        filter: { plan: ['plus'], upstream: ['tokyo'] },
      },
      { keep: '', avoid: [''], filter: {} },
    ])
    expect(await warned.json()).toMatchObject({
      warnings: ['as: no such parameter; it is ignored'],
    })
  })

  it.each([
    { what: 'an account that nobody knows', path: 'ffff/quota', slug: 'unknown_account' },
    { what: 'an unknown range', path: 'ffff/quota?range=1y', status: 400, slug: 'unknown_range' },
    { what: 'no account', path: '/quota', slug: 'not_found' },
    { what: 'a path below', path: 'ffff/quota/x', slug: 'not_found' },
  ])('the course of $what is $slug, for GET and HEAD', async ({ path, status = 404, slug }) => {
    const send = asker({ history: { ...deps.history, course: async () => null } })
    for (const method of ['GET', 'HEAD']) {
      const answer = await send(`/api/v1/accounts/${path}`, { method })
      expect(answer.status).toBe(status)
      expect(headersOf(answer)).toMatchObject(SECURITY)
      const text = await answer.text()
      if (method === 'GET') expect(JSON.parse(text)).toMatchObject({ ok: false, status: slug })
    }
  })

  it.each([
    { of: 'an account', path: '' },
    { of: 'a course', path: '/quota' },
  ])('$of is asked for by the key of the account, decoded, and by a range', async ({ path }) => {
    const asked: unknown[] = []
    const answer = (name: string) => async (query: object) => {
      asked.push({ name, ...query })
      return payload
    }
    const history = { ...deps.history, account: answer(''), course: answer('/quota') }
    const send = asker({ history })
    const url = `/api/v1/accounts/a%20b${path}?range=7d`
    await send(url)

    expect(asked).toEqual([{ name: path, accountKey: 'a b', range: '7d' }])
  })

  it.each([
    { path: '/api/v1/accounts/0011223344556677/quota?range=7d', route: '/api/v1/accounts/*/quota' },
    { path: '/api/v1/accounts/0011223344556677?range=7d', route: '/api/v1/accounts/*' },
    { path: '/api/v1/accounts/a/b/quota', route: 'other' },
    { path: '/api/v1/accounts/', route: 'other' },
    { path: '/api/v1/accounts//quota', route: 'other' },
  ])('no metric names the account of $path', ({ path, route }) => {
    expect(routeOf(path)).toBe(route)
  })

  it.each([
    { path: '/api/v1/%65vents', route: '/api/v1/events' },
    { path: '/%61pi/v1/status?since=', route: '/api/v1/status' },
    { path: '/api%2Fv1/events', route: 'other' },
    { path: '/api/v1/%2565vents', route: 'other' },
    { path: '/api/v1/%', route: 'other' },
    { path: '/api/v1/accounts/a%2Fb', route: '/api/v1/accounts/*' },
  ])('$path is $route', ({ path, route }) => {
    expect(routeOf(path)).toBe(route)
  })

  it('/metrics is text exposition 0.0.4', async () => {
    const answer = await ask('/metrics')

    expect(await answer.text()).toBe('svc_quota_monitor_gateway_up 1\n')
    expect(headersOf(answer)).toEqual({
      ...SECURITY,
      'content-length': '31',
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    })
  })

  it.each(readRoutes)('HEAD %s is GET without a body', async (path) => {
    const [get, head] = [await ask(path), await ask(path, { method: 'HEAD' })]

    expect(head.status).toBe(200)
    expect(headersOf(head)).toEqual(headersOf(get))
    expect(await head.text()).toBe('')
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    'the refresh is not asked for by %s',
    async (method) => {
      const answer = await ask('/api/v1/quota/refresh', { method })

      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    },
  )

  it.each(
    readRoutes
      .flatMap((path) =>
        ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'].map((method) => [method, path] as const),
      )
      .filter((asked) => asked.join(' ') !== 'POST /api/v1/pick'),
  )('%s %s is not allowed and says what is', async (method, path) => {
    const answer = await ask(path, { method })

    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe(
      path === '/api/v1/pick' ? 'GET, HEAD, POST' : 'GET, HEAD',
    )
    expect(await answer.json()).toMatchObject({ ok: false, status: 'method_not_allowed' })
  })

  it.each([
    '/index.html',
    '/api/v1/stats/',
    '/assets/a/b.js',
    '/assets/',
    '/readyz/',
    '/api/quota/refresh',
    '/api/status',
    '/healthz/',
    '/api/v1/health/x',
    '/%2e%2e/etc',
  ])('%s is not there', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await ask(path, { method })
      expect(answer.status).toBe(404)
      expect(headersOf(answer)).toMatchObject(SECURITY)
      expect(await answer.json()).toMatchObject({ ok: false, status: 'not_found' })
    }
  })

  it('a failing handler answers 500 without a word of the failure, and logs its name', async () => {
    const logged: unknown[] = []
    const log = { ...silentLog, error: (...entry: unknown[]) => void logged.push(entry) }
    const send = asker({ log, metrics: () => Promise.reject(new TypeError('canary')) })

    const answer = await send('/metrics')

    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('canary')
    expect(logged).toEqual([['answer failed', { error: 'TypeError' }]])
  })

  it('no answer carries a CORS header or names its software', async () => {
    for (const path of [...routes, '/nope']) {
      const names = Object.keys(
        headersOf(await ask(path, { headers: { origin: 'http://localhost' } })),
      )
      expect(
        names.filter(
          (name) =>
            name.startsWith('access-control') || name === 'server' || name === 'x-powered-by',
        ),
      ).toEqual([])
    }
  })
})

describe('compression', () => {
  it('has no br form unless it is smaller than gzip', async () => {
    const short = encodeJson({})
    expect(short.br?.bytes.byteLength ?? 0).toBeLessThan(short.gzip?.bytes.byteLength ?? 0)
  })
})
