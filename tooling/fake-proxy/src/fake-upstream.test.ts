import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { aFakeAccount, fakeAuthIndex } from './fake-account.ts'
import { aFakeQuota } from './fake-quota.ts'
import type { FakeUpstreamOptions } from './fake-state.ts'
import { createFakeUpstream, type FakeUpstream } from './fake-upstream.ts'
import { samplePool } from './pools.ts'
import { readRecording } from './recording.ts'
import { aFakeWindow } from './vendors/fake-window.ts'

const KEY = 'test-mgmt-key-sample-71b2'
const RECORDED_AT = epochMs(Date.UTC(2026, 10, 20, 23, 53, 37))
const USAGE_URL = 'https://chatgpt.com/backend-api/wham/usage'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

// biome-ignore lint/suspicious/noExplicitAny: recorded answers are compared as they are
type Json = any

const recorded = (name: string): Json => readRecording(name)

interface World {
  readonly fake: FakeUpstream
  advance(milliseconds: number): void
  send(path: string, init?: RequestInit): Promise<Response>
  list(query?: string): Promise<Json[]>
  apiCall(body: unknown): Promise<Response>
  usage(authIndex: string): Promise<Json>
}

function aWorld(options: Partial<FakeUpstreamOptions> = {}, start: EpochMs = NOW): World {
  let now = start
  const world: World = {
    advance(milliseconds) {
      now = plusMs(now, milliseconds)
    },
    fake: createFakeUpstream({ now: () => now, managementKey: KEY, ...options }),
    send: async (path, init = {}) =>
      await world.fake.app.request(path, { headers: { authorization: `Bearer ${KEY}` }, ...init }),
    list: async (query = '') =>
      ((await (await world.send(`/v0/management/auth-files${query}`)).json()) as Json).files,
    apiCall: (body) =>
      world.send('/v0/management/api-call', {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    usage: async (authIndex) => {
      const answer = (await (await world.apiCall(aUsageCall(authIndex))).json()) as Json
      return { ...answer, document: JSON.parse(answer.body) }
    },
  }
  return world
}

function aUsageCall(authIndex: string, header: Record<string, string> = {}) {
  return {
    auth_index: authIndex,
    method: 'GET',
    url: USAGE_URL,
    header: { Authorization: 'Bearer $TOKEN$', ...header },
  }
}

/** The same tree with every leaf replaced by the name of its type. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}

describe('the account list', () => {
  it('has the keys, types, order and states of the recorded list', async () => {
    const world = aWorld({ accounts: samplePool(RECORDED_AT) }, RECORDED_AT)
    const expected: Json[] = recorded('v7-auth-files-after-traffic').body.files

    const files = (await world.list()).filter((file) => file.type === 'codex')

    expect(files.map((file) => file.name)).toEqual(expected.map((file) => file.name))
    for (const [index, file] of files.entries()) {
      const recordedFile = expected[index]
      expect(shapeOf(file), file.name).toEqual(shapeOf(recordedFile))
      expect(Object.keys(file)).toEqual(Object.keys(recordedFile))
      for (const field of [
        'status',
        'success',
        'failed',
        'unavailable',
        'disabled',
        'id_token',
        'path',
        'note',
        'priority',
        'weight',
      ]) {
        expect(file[field], `${file.name} ${field}`).toEqual(recordedFile[field])
      }
      expect(withoutTimes(file.status_message)).toBe(withoutTimes(recordedFile.status_message))
      expect(file.recent_requests).toEqual(recordedFile.recent_requests)
    }
  })

  it('forgets every error when any file is written, as recorded', async () => {
    const [failed, cleared] = readRecording('v7-one-file-change-clears-everybody') as {
      entries: readonly Json[]
    }[]
    const healthy = aFakeAccount({ name: 'user1' })
    const used = aFakeAccount({ name: 'user2', quota: aFakeQuota('exhausted_5h') })
    const world = aWorld({ accounts: [healthy, used] }, RECORDED_AT)
    const shown = async () =>
      (await world.list()).map((file: Json) => ({
        status: file.status,
        hasMessage: file.status_message !== '',
        unavailable: file.unavailable,
        waits: file.next_retry_after !== undefined,
        counts: [file.success, file.failed],
      }))
    const recorded = ({ entries = [] }: { entries?: readonly Json[] } = {}) =>
      entries.map((file) => ({
        status: file.status,
        hasMessage: file.status_message !== '',
        unavailable: file.unavailable,
        waits: file.next_retry_after !== null,
        counts: [file.success, file.failed],
      }))
    world.fake.traffic(healthy, { success: 1 })
    world.fake.traffic(used, { failed: 1 })
    expect(await shown()).toEqual(expect.arrayContaining([...recorded(failed)]))

    world.fake.write(healthy)
    expect(await shown()).toEqual(expect.arrayContaining([...recorded(cleared)]))
  })

  it('rewrites a file without the key `disabled` at its first result, and forgets it at once', async () => {
    const used = aFakeAccount({
      name: 'user2',
      quota: aFakeQuota('exhausted_5h'),
      hasDisabledKey: false,
    })
    const world = aWorld({ accounts: [used] }, RECORDED_AT)
    world.advance(1_000)
    world.fake.traffic(used, { failed: 1 })
    expect((await world.list())[0]).toMatchObject({
      status: 'active',
      failed: 1,
      status_message: '',
    })
    expect(used.modifiedAt).toBe(plusMs(RECORDED_AT, 1_000))
    world.fake.traffic(used, { failed: 1 })
    expect((await world.list())[0]).toMatchObject({ status: 'error', failed: 2 })
  })

  it('lists the Claude file with the recorded keys too', async () => {
    const world = aWorld({ accounts: samplePool(RECORDED_AT) }, RECORDED_AT)
    const expected = recorded('v7-auth-files-fresh').body.files[0]

    const [file] = await world.list()

    expect(file.name).toBe(expected.name)
    expect(shapeOf(file)).toEqual({ ...(shapeOf(expected) as object), auth_index: 'string' })
  })

  it('hashes type and path into the index', () => {
    expect(
      fakeAuthIndex('codex', '/srv/cpa/auths/codex-a1b2c3d4-alice@example.com-plus.json'),
    ).toBe('0a4d98ea4d813760')
  })

  it('answers the headers of the recorded list', async () => {
    const world = aWorld({ version: 'dev' }, RECORDED_AT)
    const { 'transfer-encoding': _, ...expected } = recorded('v7-auth-files-after-traffic').headers

    const response = await world.send('/v0/management/auth-files')

    expect(Object.fromEntries(response.headers)).toMatchObject(expected)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('labels its slots in local wall time and writes times with the offset', async () => {
    const world = aWorld(
      { accounts: [aFakeAccount({ name: 'alice' })], utcOffsetMinutes: 480 },
      RECORDED_AT,
    )

    const [file] = await world.list()

    expect(file.recent_requests).toHaveLength(20)
    expect(file.recent_requests[19].time).toBe('07:50-08:00')
    expect(file.recent_requests[0].time).toBe('04:40-04:50')
    expect(file.created_at).toBe('2026-11-21T07:53:37.000807952+08:00')
  })
})

function withoutTimes(message: string): string {
  return message.replace(/"resets_at":\d+,"resets_in_seconds":\d+/, '"resets"')
}

describe('the management key', () => {
  it('is answered as recorded, from the first call to the ban', async () => {
    const world = aWorld({ accounts: samplePool(RECORDED_AT), version: 'dev' }, RECORDED_AT)

    for (const step of recorded('v7-auth-and-ban')) {
      const response = await world.send('/v0/management/auth-files', { headers: step.sent })

      expect(response.status, step.label).toBe(step.status)
      if (step.status !== 200) expect(await response.json()).toEqual(step.body)
      const { date: _, 'transfer-encoding': __, ...headers } = step.headers
      expect(Object.fromEntries(response.headers)).toMatchObject(headers)
    }
    expect(world.fake.stats).toMatchObject({
      authenticatedRequests: 1,
      refusedRequests: 5,
      bannedRequests: 2,
      failedAttempts: 5,
    })
  })

  it('counts each address by itself and believes forwarding headers', async () => {
    const world = await aBannedWorld()

    const response = await world.send('/v0/management/auth-files', {
      headers: { 'x-management-key': KEY, 'x-forwarded-for': '203.0.113.9, 10.0.0.1' },
    })

    expect(response.status).toBe(200)
  })

  it('management switched off is an empty 404 without version headers', async () => {
    const world = aWorld()
    world.fake.settings.management = 'disabled'
    const [expected] = recorded('v7-management-disabled')

    const response = await world.send('/v0/management/auth-files')

    expect([response.status, await response.text()]).toEqual([expected.status, expected.body])
    expect([...response.headers.keys()].filter((name) => name.startsWith('x-cpa-'))).toEqual([])
  })
})

async function aBannedWorld(): Promise<World> {
  const world = aWorld()
  await attempts(world, 5)
  return world
}

async function attempts(world: World, count: number): Promise<number[]> {
  const statuses: number[] = []
  for (let sent = 0; sent < count; sent += 1) {
    statuses.push(
      (await world.send('/v0/management/auth-files', { headers: { 'x-management-key': 'wrong' } }))
        .status,
    )
  }
  return statuses
}

describe('other paths', () => {
  it('authenticates before it says that a management path is unknown', async () => {
    const world = aWorld()

    const unknown = await world.send('/v0/management/nonexistent')

    expect([unknown.status, await unknown.text(), unknown.headers.get('x-cpa-version')]).toEqual([
      404,
      '',
      'v7.2.140',
    ])
    expect((await world.send('/v0/management/nonexistent', { headers: {} })).status).toBe(401)
  })

  it('says whether usage statistics are on', async () => {
    const world = aWorld()
    world.fake.settings.usageStatisticsEnabled = false
    const [expected] = recorded('v7-statistics-off')

    expect(await (await world.send('/v0/management/usage-statistics-enabled')).json()).toEqual(
      expected.body,
    )
  })
})

describe('api-call', () => {
  it('answers every recorded call alike', async () => {
    const accounts = samplePool(RECORDED_AT)
    const world = aWorld({ accounts }, RECORDED_AT)
    const steps: Json[] = recorded('v7-api-call')

    for (const step of steps) {
      const account = accounts.find(
        (one) => one.accountId === step.sent.header?.['Chatgpt-Account-Id'],
      )
      const known = step.sent.auth_index !== 'ffffffffffffffff' && account !== undefined
      if (step.label === 'usage endpoint throttled' && account !== undefined)
        account.vendor = { kind: 'throttled', retryAfter: '120' }

      const response = await world.apiCall(
        known ? { ...step.sent, auth_index: world.fake.authIndexOf(account) } : step.sent,
      )
      const body = (await response.json()) as Json

      expect(response.status, step.label).toBe(step.status)
      expect(Object.keys(body)).toEqual(Object.keys(step.body))
      if (step.status !== 200) {
        expect(body).toEqual(step.body)
        continue
      }
      expect([body.status_code, body.header]).toEqual([step.body.status_code, step.body.header])
      if (step.body.status_code === 200)
        expect(quotaDocument(body.body)).toEqual(quotaDocument(step.body.body))
      else expect(body.body).toBe(step.body.body)
    }

    const comparable = ({ host, method, token, known, accountHeader, userAgent }: Json) => ({
      host,
      method,
      token,
      known,
      accountHeader,
      userAgent,
    })
    // The recorder sat behind the dead network, so it never saw the call of the thirteenth account.
    const seen = world.fake.vendorCalls.filter((call) => call.token !== 'fake-at-sample-13')
    expect(seen.map(comparable)).toEqual(recorded('v7-api-call-as-vendor-saw-it').map(comparable))
  })

  it.each([
    { body: '[]', error: 'invalid body' },
    { body: { method: 'GET', url: USAGE_URL, data: {} }, error: 'invalid body' },
    { body: { method: 'GET', url: USAGE_URL, header: { a: 1 } }, error: 'invalid body' },
    { body: { method: ' ', url: '' }, error: 'missing method' },
    { body: { method: 'GET', url: USAGE_URL, proxy_url: 'nope' }, error: 'invalid proxy_url' },
    { body: aUsageCall('INDEX'), error: 'auth token not found' },
  ])('refuses with $error and sends nothing', async ({ body, error }) => {
    const alice = aFakeAccount({ name: 'alice', token: null })
    const world = aWorld({ accounts: [alice] })
    const text =
      typeof body === 'string'
        ? body
        : JSON.stringify(body).replace('INDEX', world.fake.authIndexOf(alice))

    const response = await world.apiCall(text)

    expect([response.status, await response.json()]).toEqual([400, { error }])
    expect(world.fake.vendorCalls).toEqual([])
  })

  it('does not reach any other host, but tells of the attempt', async () => {
    const alice = aFakeAccount({ name: 'alice' })
    const world = aWorld({ accounts: [alice] })

    for (const url of [
      'https://evil.example/backend-api/wham/usage',
      'http://chatgpt.com/backend-api/wham/usage',
    ]) {
      const response = await world.apiCall({ ...aUsageCall(world.fake.authIndexOf(alice)), url })
      expect([response.status, await response.json()]).toEqual([502, { error: 'request failed' }])
    }
    expect(world.fake.vendorCalls.map((call) => call.host)).toEqual(['evil.example', 'chatgpt.com'])
  })

  it('follows a renamed file: the old index sends the literal token', async () => {
    const alice = aFakeAccount({ name: 'alice' })
    const world = aWorld({ accounts: [alice] })
    const before = world.fake.authIndexOf(alice)

    world.fake.rename(alice, 'codex-alice@example.com.json')

    expect((await world.usage(before)).status_code).toBe(401)
    expect((await world.usage(world.fake.authIndexOf(alice))).status_code).toBe(200)
    expect(world.fake.vendorCalls.map((call) => call.token)).toEqual(['$TOKEN$', 'fake-at-alice'])
  })
})

/** A usage document without the members that depend on the second of recording. */
function quotaDocument(body: string): unknown {
  return JSON.parse(body, (name, value) =>
    name === 'user_id' || name === 'reset_at' ? typeof value : value,
  )
}

describe('changing an auth file', () => {
  const patch = async (world: World, path: string, body: unknown) => {
    const answer = await world.send(`/v0/management/auth-files/${path}`, {
      method: 'PATCH',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const alice = () => aFakeAccount({ name: 'alice' })
  const name = alice().fileName

  it('switches it off and on, and forgets every error by that', async () => {
    const used = aFakeAccount({ name: 'bob', quota: aFakeQuota('exhausted_5h') })
    const world = aWorld({ accounts: [alice(), used] })
    world.fake.traffic(used, { failed: 1 })
    expect(await world.list()).toMatchObject([{ status: 'active' }, { status: 'error' }])

    expect(await patch(world, 'status', { name, disabled: true })).toEqual({
      status: 200,
      body: { status: 'ok', disabled: true },
    })
    expect(await world.list()).toMatchObject([
      { status: 'disabled', disabled: true },
      { status: 'active' },
    ])
    await patch(world, 'status', { name, disabled: false })
    expect(await world.list()).toMatchObject([{ status: 'active', disabled: false }, {}])
  })

  it.each([
    ['status', '{', 400, 'invalid request body'],
    ['status', { name: 1, disabled: true }, 400, 'invalid request body'],
    ['status', { name: ' ', disabled: true }, 400, 'name is required'],
    ['status', { name }, 400, 'disabled is required'],
    ['status', { name: 'nobody.json', disabled: true }, 404, 'auth file not found'],
    ['fields', '[]', 400, 'invalid request body'],
    ['fields', { priority: 1 }, 400, 'name is required'],
    ['fields', { name }, 400, 'no fields to update'],
    ['fields', { name: 'nobody.json', priority: 1 }, 404, 'auth file not found'],
  ])('%s refuses %j', async (path, body, status, error) => {
    const world = aWorld({ accounts: [alice()] })

    expect(await patch(world, path, body)).toEqual({ status, body: { error } })
  })
})

describe('the simulated quota', () => {
  const mainWindows = async (world: World, authIndex: string) => {
    const { rate_limit } = (await world.usage(authIndex)).document
    return [rate_limit.primary_window, rate_limit.secondary_window]
  }

  it('burns with traffic until the limit is reached, and comes back at the reset', async () => {
    const window = aFakeWindow({
      seconds: 18_000,
      usedPercent: 99,
      percentPerRequest: 0.5,
      resetsInSeconds: 600,
    })
    const alice = aFakeAccount({
      name: 'alice',
      quota: { ...aFakeQuota('two_windows'), main: [window] },
    })
    const world = aWorld({ accounts: [alice] })
    const authIndex = world.fake.authIndexOf(alice)

    world.fake.traffic(alice, { success: 1 })
    expect((await world.usage(authIndex)).document.rate_limit).toMatchObject({
      allowed: true,
      primary_window: { used_percent: 99 },
    })
    world.fake.traffic(alice, { success: 1, failed: 1 })
    expect((await world.usage(authIndex)).document).toMatchObject({
      rate_limit: {
        allowed: false,
        limit_reached: true,
        primary_window: { used_percent: 100, reset_after_seconds: 600, reset_at: NOW / 1000 + 600 },
      },
      rate_limit_reached_type: { type: 'rate_limit_reached' },
    })
    expect((await world.list())[0]).toMatchObject({
      status: 'error',
      unavailable: true,
      next_retry_after: '2026-11-20T12:10:00.000807952Z',
    })

    world.advance(600_000)
    expect((await world.usage(authIndex)).document.rate_limit).toMatchObject({
      allowed: true,
      primary_window: { used_percent: 0 },
    })
    // The error status stays until the next success.
    expect((await world.list())[0]).toMatchObject({ status: 'error', unavailable: true })
    world.fake.traffic(alice, { success: 1 })
    expect((await world.list())[0]).toMatchObject({
      status: 'active',
      status_message: '',
      unavailable: false,
    })
  })

  it('keeps the full period before a window that has not started', async () => {
    const alice = aFakeAccount({
      name: 'alice',
      quota: aFakeQuota('two_windows', { used: [0, 20], resets: [null, 400_000] }),
    })
    const world = aWorld({ accounts: [alice] })
    const authIndex = world.fake.authIndexOf(alice)
    world.advance(HOUR_MS)

    expect(await mainWindows(world, authIndex)).toMatchObject([
      { reset_after_seconds: 18_000 },
      { reset_after_seconds: 396_400 },
    ])

    world.fake.traffic(alice, { success: 1 })
    world.advance(HOUR_MS)
    expect(await mainWindows(world, authIndex)).toMatchObject([
      { reset_after_seconds: 14_400 },
      { reset_after_seconds: 392_800 },
    ])
  })
})
