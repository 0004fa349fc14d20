import { Redacted } from '@svc/core/service'
import { anAccount, NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { codex } from '../providers/codex/descriptor.ts'
import { createManagementGate } from '../proxy/management-access.ts'
import type { ManagementCall } from '../proxy/upstream-client.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { aMadeUpVendor } from '../testing/made-up-vendor.ts'
import { aClient } from '../testing/usage-equipment.ts'
import { createApiCallTransport } from './api-call.ts'
import { type Providers, providerIn } from './quota-transport.ts'

const alice = anAccount('alice', { vendorAccountId: 'workspace-1' })
const usage = {
  plan_type: 'plus',
  rate_limit: { primary_window: { used_percent: 10, limit_window_seconds: 18_000 } },
}
const answered = (changes: Readonly<Record<string, unknown>> = {}) => ({
  status_code: 200,
  header: { 'Content-Type': ['application/json'] },
  body: JSON.stringify(usage),
  ...changes,
})

/** A proxy that returns this for a forwarded call, or fails with it. */
function aTransport(answer: unknown = answered(), providers: Providers = [codex]) {
  const sent: { route: string; json: object; call: ManagementCall }[] = []
  const gate = createManagementGate(virtualClock(() => Promise.resolve()))
  gate.useKey({ kind: 'key', key: new Redacted('key') })
  const transport = createApiCallTransport(
    aClient({
      async post(route, json, call) {
        sent.push({ route, json, call })
        if (answer instanceof Error) throw answer
        return { body: answer, receivedAt: NOW, proxyNow: null }
      },
    }),
    gate,
    providerIn(providers),
  )
  return {
    sent,
    gate,
    transport,
    query: () => transport.query(alice, new AbortController().signal, false),
  }
}

describe('a query through the proxy', () => {
  it('names the account by its index and holds a placeholder for its token', async () => {
    const { sent, query } = aTransport()

    expect(await query()).toMatchObject({
      kind: 'sample',
      sample: { origin: 'direct', plan: 'plus', sampledAt: NOW, windows: [{ percent: 90 }] },
    })
    expect(sent).toMatchObject([
      {
        route: 'forward',
        json: {
          auth_index: alice.selector.authIndex,
          method: 'GET',
          url: 'https://chatgpt.com/backend-api/wham/usage',
          header: { Authorization: 'Bearer $TOKEN$' },
        },
      },
    ])
  })

  it.each<readonly [why: string, answer: unknown, expected: object]>([
    ['a body that is JSON already', answered({ body: usage }), { kind: 'sample' }],
    [
      'a throttle, its header in lower case',
      answered({ status_code: 429, header: { 'retry-after': ['7'] } }),
      { kind: 'throttled', retryAfterSeconds: 7 },
    ],
    [
      'a header that is no list',
      answered({ status_code: 429, header: { 'Retry-After': '7', 'X-Odd': 3 } }),
      { kind: 'throttled', retryAfterSeconds: 7 },
    ],
    ['headers that are no object', answered({ header: 'none' }), { kind: 'sample' }],
  ])('reads $0', async (_, answer, expected) => {
    expect(await aTransport(answer).query()).toMatchObject(expected)
  })

  it.each([
    { why: 'no status', answer: { body: '{}' } },
    { why: 'a status as text', answer: answered({ status_code: '200' }) },
    { why: 'a status out of range', answer: answered({ status_code: 99 }) },
  ])('fails as a whole at $why', async ({ answer }) => {
    await expect(aTransport(answer).query()).rejects.toMatchObject({
      name: 'UpstreamError',
      code: 'bad_payload',
    })
  })

  it.each([
    { httpStatus: 400, ofOneAccount: true },
    { httpStatus: 502, ofOneAccount: true },
    { httpStatus: 401, ofOneAccount: false },
    { httpStatus: 500, ofOneAccount: false },
    { httpStatus: 503, ofOneAccount: false },
  ])('refused with $httpStatus concerns this account alone: $ofOneAccount', async (row) => {
    const failure = new UpstreamError('server_error', 'no', { httpStatus: row.httpStatus })
    const outcome = await aTransport(failure)
      .query()
      .catch((error: unknown) => error)

    if (row.ofOneAccount)
      expect(outcome).toEqual({ kind: 'failed', code: 'server_error', httpStatus: null })
    else expect(outcome).toBe(failure)
  })
})

describe('the way through the proxy', () => {
  it('is not open to an account without an index', () => {
    const { transport } = aTransport()
    const { selector } = alice

    expect(transport.canQuery(alice)).toBe(true)
    expect(transport.canQuery({ ...alice, selector: { ...selector, authIndex: '' } })).toBe(false)
  })

  it('is ready once the proxy has accepted the key', async () => {
    const { transport, query } = aTransport()
    expect([transport.ready(), transport.refusal()]).toEqual([false, null])
    await query()

    expect([transport.ready(), transport.refusal()]).toEqual([true, null])
  })

  it.each([
    { code: 'unauthorized', refusal: 'unauthorized' },
    { code: 'forbidden', refusal: 'forbidden' },
    { code: 'banned', refusal: 'banned' },
  ] as const)('is refused as $refusal after such an answer', async ({ code, refusal }) => {
    const failure = new UpstreamError(code, 'no', { httpStatus: 403, retryAfterSeconds: 60 })
    const { transport, query } = aTransport(failure)
    await query().catch(() => undefined)

    expect([transport.ready(), transport.refusal()]).toEqual([false, refusal])
  })

  it.each([null, { kind: 'problem', reason: 'missing' } as const])(
    'is refused for want of a key: $kind',
    (key) => {
      const { gate, transport } = aTransport()
      gate.useKey(key)

      expect(transport.refusal()).toBe('no_key')
    },
  )
})

describe('a query of another vendor', () => {
  const kimi = anAccount('k', { provider: 'kimi' })
  const vendor = aMadeUpVendor({
    quotaRequest: ({ bearer }) => ({
      url: 'https://vendor.test/quota',
      headers: { Authorization: `Bearer ${bearer}` },
      body: '{"account":1}',
    }),
    planQuery: {
      everySeconds: 60,
      request: () => ({ url: 'https://vendor.test/plan', headers: {} }),
      planOf: ({ body }) => ({ plan: body, vendorIdentity: null }),
    },
  })
  const stop = new AbortController().signal
  const refreshFailed = new UpstreamError('unexpected_status', '400', {
    httpStatus: 400,
    saysRefreshFailed: true,
  })

  it('sends its body as text, and a request without one is a GET', async () => {
    const { transport, sent } = aTransport(answered({ body: '{"left":40}' }), [vendor])

    expect((await transport.query(kimi, stop, false)).kind).toBe('sample')
    expect(await transport.queryPlan(kimi, stop)).toEqual({
      plan: '{"left":40}',
      vendorIdentity: null,
    })
    expect(sent.map(({ json }) => json)).toEqual([
      expect.objectContaining({ method: 'POST', data: '{"account":1}' }),
      expect.not.objectContaining({ data: expect.anything() }),
    ])
  })

  it('whose token the proxy cannot refresh is refused; of Codex it says nothing', async () => {
    const { transport } = aTransport(refreshFailed, [vendor, codex])

    expect(await transport.query(kimi, stop, false)).toEqual({ kind: 'auth', httpStatus: 400 })
    expect(await transport.query(alice, stop, false)).toMatchObject({ kind: 'failed' })
  })

  it('that takes too long is the failure of one account; of Codex it holds up all', async () => {
    const timeout = new UpstreamError('timeout', 'no answer')
    const { transport } = aTransport(timeout, [vendor, codex])

    expect(await transport.query(kimi, stop, false)).toMatchObject({ kind: 'failed' })
    await expect(transport.query(alice, stop, false)).rejects.toBe(timeout)
  })

  it('is not made for a provider that is not queried', async () => {
    const { transport, sent } = aTransport(answered(), [codex])

    expect([alice, kimi].map(transport.canQuery)).toEqual([true, false])
    await expect(transport.query(kimi, stop, false)).rejects.toThrow('are not queried')
    expect(sent).toEqual([])
  })
})
