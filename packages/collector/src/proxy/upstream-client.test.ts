import type { RequestListener } from 'node:http'
import { epochMs } from '@svc/core'
import { type LogFields, Redacted, type SourceFailureCode } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import {
  answering,
  answerJson,
  aServer,
  closeServers,
  failureOf,
  realClock,
} from '../testing/own-servers.ts'
import { createUpstreamClient, type ManagementCall, onOurClock } from './upstream-client.ts'

const KEY = 'canary-management-key'
afterEach(closeServers)

/** A server with the given answer, and a client for it. */
async function aClient(answer: RequestListener) {
  const { url, seen } = await aServer(answer)
  return {
    url,
    seen,
    client: createUpstreamClient(url, { clock: realClock, fetch, generation: 'v0' }),
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

describe('a call', () => {
  it('goes to the management API with the key as bearer, and says nothing about forwarding', async () => {
    const { client, seen } = await aClient(answerJson({ files: [] }))

    const answer = await client.get('accounts', aCall())

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

  it('is a line of the log at its lowest level, with how it ended and without key and query', async () => {
    const lines: string[] = []
    const log = {
      debug: (event: string, { ms: _, ...fields }: LogFields = {}) =>
        void lines.push(`${event} ${JSON.stringify(fields)}`),
    }
    let status = 200
    const { url } = await aServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
    const client = createUpstreamClient(url, { clock: realClock, fetch, log, generation: 'v0' })
    await client.get('accounts', aCall())
    await client.take('usageQueue', aCall(), () => undefined, '?count=500')
    status = 401
    await expect(client.post('forward', {}, aCall())).rejects.toThrow()

    expect(lines).toEqual([
      'proxy asked {"endpoint":"auth-files","result":"ok"}',
      'proxy asked {"endpoint":"usage-queue","result":"ok"}',
      'proxy asked {"endpoint":"api-call","result":"unauthorized"}',
    ])
  })

  it('keeps a path in front of the API', async () => {
    const { url, seen } = await aClient(answerJson({}))

    await createUpstreamClient(`${url}/proxy/`, { clock: realClock, fetch, generation: 'v0' }).get(
      'accounts',
      aCall(),
    )

    expect(seen[0]?.url).toBe('/proxy/v0/management/auth-files')
  })

  it('that lists is sent once more when its connection closed before the answer, one that takes or posts is not', async () => {
    const { url, seen } = await aServer((request) => request.socket.destroy())
    const client = createUpstreamClient(url, { clock: realClock, fetch, generation: 'v0' })

    await failureOf(client.get('plugins', aCall()))
    await failureOf(client.take('usageQueue', aCall(), () => undefined))
    await failureOf(client.post('forward', {}, aCall()))

    expect(seen.map(({ method, url }) => `${method} ${url?.split('/').pop()}`)).toEqual([
      'GET plugins',
      'GET plugins',
      'GET usage-queue',
      'POST api-call',
    ])
  })

  it('is ended by a redirect, and the other origin never sees the key', async () => {
    const other = await aServer(answerJson({}))
    const { client, seen } = await aClient(answering(302, { location: `${other.url}/steal` }))

    expect(await failureOf(client.get('accounts', aCall()))).toMatchObject({ code: 'redirected' })
    expect([seen.length, other.seen.length]).toEqual([1, 0])
  })

  it('learns version, plugins and clock skew from any answer', async () => {
    const { client } = await aClient(
      answerJson(
        {},
        {
          'x-cpa-version': 'v7.2.140',
          'x-cpa-support-plugin': '1',
          date: 'Fri, 20 Nov 2026 12:10:00 GMT',
        },
      ),
    )
    expect(client.facts()).toMatchObject({ version: null, loadsPlugins: null })

    const answer = await client.get('accounts', aCall())

    expect(client.facts()).toEqual({
      version: 'v7.2.140',
      generation: 'v0',
      loadsPlugins: true,
      clockSkewSeconds: 600,
    })
    expect(answer.proxyNow).toBe(NOW + 600_000)
  })

  it.each([
    [401, 'unauthorized'],
    [429, 'throttled'],
  ])('a %d counts at once, though its body never ends', async (status, code) => {
    const { client } = await aClient((_request, response) => {
      response.writeHead(status, { 'x-cpa-version': 'v7.2.140', 'content-length': '9' })
      response.flushHeaders()
    })

    expect(await failureOf(client.get('accounts', aCall()))).toMatchObject({ code })
  })

  it('learns from a refusal too, and ignores a version that is none', async () => {
    const { client } = await aClient(answering(401, { 'x-cpa-version': 'a b<c>' }))

    await failureOf(client.get('accounts', aCall()))

    expect(client.facts().version).toBeNull()
    expect(client.facts().clockSkewSeconds).not.toBeNull()
  })
})

describe('an answer that is no answer', () => {
  it.each<[number, string, string, SourceFailureCode, string]>([
    [200, 'application/json', '{"files":[', 'bad_payload', 'cut short'],
    [204, 'application/json', '', 'bad_payload', 'no content'],
    [200, 'text/html', '<html>canary login page</html>', 'bad_payload', 'a page'],
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
    const { client } = await aClient(answering(status, { 'content-type': contentType }, body))

    expect(await failureOf(client.get('accounts', aCall()))).toMatchObject({ code })
  })

  it('404 with the proxy’s own headers is a missing route', async () => {
    const { client } = await aClient(answering(404, { 'x-cpa-version': 'dev' }))

    expect(await failureOf(client.get('plugins', aCall()))).toMatchObject({
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
    const { client } = await aClient(answering(403, {}, JSON.stringify({ error })))

    expect(await failureOf(client.get('accounts', aCall()))).toMatchObject({
      code: 'banned',
      retryAfterSeconds: seconds,
    })
  })
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
