import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex, PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { aFakeAccount } from './fake-account.ts'
import { answerResp } from './fake-resp.ts'
import type { FakeGeneration } from './fake-settings.ts'
import { createFakeUpstream, type FakeUpstream } from './fake-upstream.ts'
import { type Json, RECORDED_AT } from './testing/vendor-world.ts'

// Written from what is known of v8 (docs/upstream.md#generations), not recorded.

const KEY = 'test-mgmt-key-sample-71b2'
const alice = () => aFakeAccount({ name: 'alice', provider: 'codex' })

function aProxy(generation: FakeGeneration = 'v8', accounts = [alice()]) {
  const fake = createFakeUpstream({ now: () => RECORDED_AT, managementKey: KEY, accounts })
  fake.become(generation)
  const send = async (request: string, body?: object, key = KEY) => {
    const [method = '', path = ''] = request.split(' ')
    const response = await fake.app.request(path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      version: response.headers.get('x-cpa-version'),
      home: response.headers.get('x-cpa-home-version'),
      text,
      body: (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null) as Json,
    }
  }
  return { fake, send }
}
/** The answer to what a client sends first on a connection from the address of `send`. */
async function respAnswer(fake: FakeUpstream, sent: string): Promise<string> {
  const answers = new PassThrough()
  const socket = Duplex.from({ readable: Readable.from([Buffer.from(sent)]), writable: answers })
  answerResp(
    fake,
    Object.assign(socket, { remoteAddress: '127.0.0.1', setNoDelay() {} }) as unknown as Socket,
  )
  const [answer] = await once(answers, 'data')
  return String(answer)
}

const LIST = 'GET /v8/management/credentials'
const QUEUE = 'GET /v8/management/observability/usage/queue'
const USAGE = 'GET /v8/management/config/observability/usage'
const CALL = 'POST /v8/management/requests/api-call'
const FETCH = 'POST /v8/management/credentials/quota/fetch'

describe('a v8 proxy', () => {
  it('lists its credentials with the time of the list', async () => {
    const { send } = aProxy()

    expect(await send(LIST)).toMatchObject({
      status: 200,
      version: 'v8.0.10',
      body: {
        observed_at: expect.stringMatching(/^2026-11-23T/),
        files: [{ type: 'codex', cooldowns: [], quota: { signals: {} } }],
      },
    })
    expect(await send(`${LIST}?page=0`)).toMatchObject({
      status: 400,
      body: { error: 'page must be a positive integer' },
    })
  })

  it('counts refusals of both generations and of RESP together, and bans after five', async () => {
    const { fake, send } = aProxy()
    fake.settings.resp = 'open'
    const auth = (key: string) =>
      respAnswer(fake, `*2\r\n$4\r\nAUTH\r\n$${key.length}\r\n${key}\r\n`)
    expect(await auth('wrong')).toBe('-ERR invalid management key\r\n')
    for (const path of [LIST, 'GET /v0/management/auth-files', LIST, LIST])
      expect(await send(path, undefined, 'wrong')).toMatchObject({
        status: 401,
        body: { error: 'invalid management key' },
      })

    for (const path of [LIST, 'GET /v0/management/auth-files'])
      expect(await send(path)).toMatchObject({
        status: 403,
        body: { error: expect.stringMatching(/^IP banned .* Try again in 30m0s$/) },
      })
    expect(await auth(KEY)).toMatch(/^-ERR IP banned .* Try again in 30m0s\r\n$/)
  })

  it('hands usage out once, in order', async () => {
    const account = alice()
    const { fake, send } = aProxy('v8', [account])
    expect((await send(QUEUE)).text).toBe('[]')
    for (const count of ['0', 'x'])
      expect(await send(`${QUEUE}?count=${count}`)).toMatchObject({
        status: 400,
        body: { error: 'count must be a positive integer' },
      })
    fake.traffic(account, { success: 2 })
    const ids = fake.usage.ledger.map(({ json }) => JSON.parse(json).request_id)

    const popped = [await send(`${QUEUE}?count=1`), await send(`${QUEUE}?count=1`)]
    expect(popped.map(({ body }) => body.map((one: Json) => one.request_id))).toEqual(
      ids.map((id) => [id]),
    )
  })

  it('shows the section of its configuration about usage, and no key', async () => {
    const { fake, send } = aProxy()
    expect((await send(USAGE)).body).toEqual({
      'usage-statistics-enabled': true,
      'redis-usage-queue-retention-seconds': 60,
    })
    fake.settings.usageSection = { 'usage-statistics-enabled': true }
    expect((await send(USAGE)).body).toEqual({ 'usage-statistics-enabled': true })
    fake.settings.usageSection = null
    expect(await send(USAGE)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it('forwards a call for a credential that it knows, and for no other', async () => {
    const account = alice()
    const tokenless = aFakeAccount({ name: 'bob', provider: 'codex' })
    const { fake, send } = aProxy('v8', [account, tokenless])
    tokenless.token = null
    const call = (auth_index: string) => ({
      auth_index,
      method: 'GET',
      url: 'https://chatgpt.com/backend-api/wham/usage',
      header: { Authorization: 'Bearer $TOKEN$' },
    })
    expect(await send(CALL, call(fake.authIndexOf(account)))).toMatchObject({
      status: 200,
      body: { status_code: 200 },
    })
    expect(await send(CALL, call('0000000000000000'))).toMatchObject({
      status: 400,
      body: { error: 'auth credential not found for auth_index' },
    })
    expect(await send(CALL, call(fake.authIndexOf(tokenless)))).toMatchObject({
      status: 400,
      body: { error: 'auth token not found' },
    })
    fake.setVendor(account, 'token_invalidated')
    expect(await send(CALL, call(fake.authIndexOf(account)))).toMatchObject({
      status: 200,
      body: { status_code: 401 },
    })
  })

  it('asks a plugin for quota, under v0 alone in early versions', async () => {
    const plugin = aFakeAccount({ name: 'p', provider: 'acme', supportsQuota: true })
    const { fake, send } = aProxy('v8', [plugin, alice()])
    const ask = (path: string) => send(path, { auth_index: fake.authIndexOf(plugin) })
    const other = { auth_index: fake.authIndexOf(fake.accounts[1] ?? plugin) }
    expect((await send(FETCH, other)).status).toBe(501)
    expect((await ask(FETCH)).status).toBe(200)
    plugin.vendor = 'network_dead'
    expect((await ask(FETCH)).status).toBe(502)
    plugin.vendor = 'quota'
    fake.settings.quotaFetchUnderV8 = false
    expect(await ask(FETCH)).toMatchObject({ status: 404, text: '', version: 'v8.0.10' })
    expect((await ask('POST /v0/management/quota/fetch')).status).toBe(200)
  })

  it('changes a credential as v0 does', async () => {
    const account = alice()
    const child = aFakeAccount({ name: 'c', provider: 'acme', isPluginChild: true })
    const { send } = aProxy('v8', [account, child])
    const patch = (path: string, name: string, fields: object) =>
      send(`PATCH /v8/management/credentials/${path}`, { name, ...fields })
    expect((await patch('status', account.fileName, { disabled: true })).body).toEqual({
      status: 'ok',
      disabled: true,
    })
    expect((await patch('fields', account.fileName, { priority: 3 })).body).toEqual({
      status: 'ok',
    })
    expect(await patch('status', 'gone.json', { disabled: true })).toMatchObject({
      status: 404,
      body: { error: 'auth file not found' },
    })
    expect((await patch('status', child.fileName, { disabled: true })).status).toBe(409)
    expect(child.disabled).toBe(false)
    expect([account.disabled, account.priority]).toEqual([true, 3])
  })

  it.each(['auth-files', 'usage-queue', 'debug'])('has no v0 name %s under v8', async (name) => {
    expect(await aProxy().send(`GET /v8/management/${name}`)).toMatchObject({
      status: 404,
      text: '',
      version: 'v8.0.10',
    })
  })
})

it.each<[FakeGeneration, string, object]>([
  ['v6', LIST, { status: 404, text: '404 page not found', version: null }],
  ['v7', LIST, { status: 404, text: '', version: null }],
  ['home', LIST, { status: 404, text: '', version: null }],
  ['home', 'GET /v0/management/auth-files', { status: 200, home: '1.0.0', version: 'v7.2.140' }],
  ['v8', 'GET /v0/management/auth-files', { status: 200, version: 'v8.0.10' }],
  ['v8-only', 'GET /v0/management/auth-files', { status: 404, text: '', version: 'v8.1.0' }],
])('%s answers %s', async (generation, request, answer) => {
  const { fake, send } = aProxy(generation)

  expect(await send(request)).toMatchObject(answer)
  expect((await send(request, undefined, 'wrong')).status).toBe(
    request === LIST && generation !== 'v8' ? 404 : 401,
  )
  expect(fake.stats.failedAttempts).toBe(request === LIST ? 0 : 1)
})

it.each(['v8', 'v7'] as const)('%s without a secret answers neither', async (generation) => {
  const { fake, send } = aProxy(generation)
  fake.settings.management = 'disabled'
  for (const path of [LIST, 'GET /v0/management/auth-files'])
    expect(await send(path)).toMatchObject({ status: 404, text: '', version: null })
})
