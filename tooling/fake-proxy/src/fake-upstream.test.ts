import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { aFakeAccount } from './fake-account.ts'
import { aFakeQuota } from './fake-quota.ts'
import type { FakeUpstreamOptions } from './fake-state.ts'
import { createFakeUpstream, type FakeUpstream } from './fake-upstream.ts'
import { samplePool } from './pools.ts'
import { readRecording } from './recording.ts'

const KEY = 'test-mgmt-key-sample-71b2'
const RECORDED_AT = epochMs(Date.UTC(2026, 10, 20, 23, 53, 37))
const USAGE_URL = 'https://chatgpt.com/backend-api/wham/usage'

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

  it('lists the Claude file with the recorded keys too', async () => {
    const world = aWorld({ accounts: samplePool(RECORDED_AT) }, RECORDED_AT)
    const expected = recorded('v7-auth-files-fresh').body.files[0]

    const [file] = await world.list()

    expect(file.name).toBe(expected.name)
    expect(shapeOf(file)).toEqual({ ...(shapeOf(expected) as object), auth_index: 'string' })
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
})

/** A usage document without the members that depend on the second of recording. */
function quotaDocument(body: string): unknown {
  return JSON.parse(body, (name, value) =>
    name === 'user_id' || name === 'reset_at' ? typeof value : value,
  )
}
