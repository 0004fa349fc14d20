import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { aFakeAccount, type FakeAccount } from '@svc/fake-proxy'
import type { RefreshResult, StatusSnapshot } from '@svc/views'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { ownFlags } from '../../tooling/service/built-program.ts'
import {
  type LocalOptions,
  MANAGEMENT_KEY,
  type ProxiedService,
  type ServiceProcess,
  startService,
} from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../tooling/test-instant.ts'

const PATH = '/api/v1/quota/refresh'
const TOKEN_HEADER = 'X-Svc-Quota-Monitor-Refresh-Token'

let live: ProxiedService | null = null
let demo: ServiceProcess | null = null
afterEach(async () => {
  await live?.stop()
  await demo?.stop()
  live = null
  demo = null
})

const pool = (count = 3): FakeAccount[] =>
  Array.from({ length: count }, (_, index) => aFakeAccount({ name: `user${index}` }))

async function started(
  mode: 'page-token' | 'management-key' | 'none',
  options: Partial<LocalOptions> = {},
): Promise<ProxiedService> {
  live = await startService({
    where: 'here',
    time: acceleratedClock({ factor: paceOfBusyMachine(20) }),
    accounts: pool(),
    ...options,
    flags: { 'manual-quota-refresh-auth': mode, ...options.flags },
  })
  return live
}

const pageToken = async (url: string) => {
  const page = await (await fetch(url)).text()
  return /<meta name="refresh-token" content="([^"]*)">/.exec(page)?.[1] ?? ''
}
const post = (url: string, init: RequestInit = {}) => fetch(url + PATH, { method: 'POST', ...init })
const jsonBody = (body: unknown, headers: Record<string, string> = {}) => ({
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'Content-Type': 'application/json', ...headers },
})
const manualRefresh = async (url: string) =>
  ((await (await fetch(`${url}/api/v1/status`)).json()) as StatusSnapshot).summary.manualRefresh
const ended = async (url: string) => {
  await eventually(
    'the refresh ends',
    async () => !['running', 'idle'].includes((await manualRefresh(url)).status),
  )
  return await manualRefresh(url)
}
const listed = (service: ProxiedService, count: number) =>
  eventually(
    'the accounts are listed',
    async () =>
      (await service.json<StatusSnapshot>('/api/v1/status')).tabs.pool.accounts.length === count,
  )

describe('the token of the page', () => {
  it('begins a refresh, which asks about every account and shows how it ended', async () => {
    const service = await started('page-token')
    await listed(service, 3)
    const token = await pageToken(service.url)
    expect(token).toMatch(/^[\w-]{43}$/)
    const before = service.fake.vendorCalls.length

    const answer = await post(service.url, { headers: { [TOKEN_HEADER]: token } })

    expect(answer.status).toBe(202)
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    const result = (await answer.json()) as RefreshResult
    expect(result).toEqual({
      ok: true,
      status: 'running',
      scope: 'default',
      startedAt: expect.any(String),
      completedAt: null,
      queued: 3,
      done: expect.any(Number),
      failed: 0,
      expectedEndAt: expect.any(String),
      error: '',
    })
    expect((await manualRefresh(service.url)).status).not.toBe('idle')
    expect(await ended(service.url)).toMatchObject({
      status: 'completed',
      scope: 'default',
      queued: 3,
      done: 3,
      failed: 0,
      error: '',
    })
    expect(service.fake.vendorCalls.length - before).toBeGreaterThanOrEqual(3)
  })

  it('stands in the page and nowhere else', async () => {
    const service = await started('page-token')
    const token = await pageToken(service.url)
    await post(service.url, { headers: { [TOKEN_HEADER]: token } })
    await ended(service.url)
    for (const path of [
      '/api/v1/status',
      '/api/v1/health',
      '/api/v1/stats',
      '/api/v1/recommendations',
      '/api/v1/openapi.json',
      '/metrics',
    ]) {
      expect(await (await fetch(service.url + path)).text()).not.toContain(token)
    }
    expect(service.output()).not.toContain(token)
    expect(service.output()).not.toContain(createHash('sha256').update(token).digest('hex'))
  })
})

describe('the management key', () => {
  it('begins a refresh; anything else is refused with a challenge', async () => {
    const service = await started('management-key')
    await listed(service, 3)
    expect(await pageToken(service.url)).toBe('')
    const refused = await post(service.url, { headers: { Authorization: 'Bearer wrong' } })
    expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer'])
    expect(((await refused.json()) as RefreshResult).error).toMatch(/^The management key.*Bearer/)
    const doubled = await rawPost(service.url, [
      `Authorization: Bearer ${MANAGEMENT_KEY}`,
      `Authorization: Bearer ${MANAGEMENT_KEY}`,
      'Connection: close',
    ])
    expect(doubled).toMatch(/^HTTP\/1\.1 401 /)
    expect(
      (await post(service.url, { headers: { Authorization: `bearer ${MANAGEMENT_KEY}` } })).status,
    ).toBe(202)
    expect(service.output()).not.toContain(MANAGEMENT_KEY)
  })
})

describe('without a management key', () => {
  it('answers 503, before anything else is looked at', async () => {
    demo = await startService({
      where: 'program',
      args: await ownFlags(),
    })
    const answer = await post(demo.url, jsonBody('{"scope":'))
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { ok: false, status: 'unavailable', error: expect.stringContaining('management key') },
    ])
  })
})

describe('disabled accounts', () => {
  const askedFor = (service: ProxiedService, account: FakeAccount) =>
    service.fake.vendorCalls.filter(({ token }) => token === account.token).length

  it('are asked about by the diagnostic scope alone, once each, and stay as they are', async () => {
    const accounts = pool(3)
    const [, disabled] = accounts
    if (disabled === undefined) throw new Error('no account')
    const service = await started('none', { accounts, prepare: (fake) => fake.disable(disabled) })
    await listed(service, 3)
    const shown = async () =>
      (await service.json<StatusSnapshot>('/api/v1/status')).tabs.pool.accounts.find(
        ({ disabledProbe }) => disabledProbe !== undefined,
      )
    expect((await shown())?.disabledProbe).toMatchObject({ state: 'unknown', probedAt: null })

    await post(service.url, jsonBody({ scope: 'default' }))
    expect(await ended(service.url)).toMatchObject({
      status: 'completed',
      scope: 'default',
      queued: 2,
    })
    expect(askedFor(service, disabled)).toBe(0)
    const before = await service.json<StatusSnapshot>('/api/v1/status')

    await post(service.url, jsonBody({ scope: 'disabled-diagnostics' }))
    await eventually(
      'the probe ends',
      async () => (await manualRefresh(service.url)).scope === 'disabled-diagnostics',
    )
    expect(await ended(service.url)).toMatchObject({
      status: 'completed',
      scope: 'disabled-diagnostics',
      queued: 1,
      failed: 0,
    })
    expect(askedFor(service, disabled)).toBe(1)
    const probed = await shown()
    expect(probed).toMatchObject({
      blockedReasons: ['operator_disabled'],
      score: 0,
      lastSample: null,
      quotaClass: 'none',
    })
    expect(probed?.disabledProbe).toMatchObject({ state: 'ok', httpStatus: 200 })
    const after = await service.json<StatusSnapshot>('/api/v1/status')
    expect(after.summary.fiveHour.trackedUnits).toBe(before.summary.fiveHour.trackedUnits)
    expect(after.summary.routableCount).toBe(2)

    // An ordinary refresh keeps what the probe has found.
    await post(service.url)
    await eventually(
      'the refresh ends',
      async () => (await manualRefresh(service.url)).scope === 'default',
    )
    await ended(service.url)
    expect((await shown())?.disabledProbe).toEqual(probed?.disabledProbe)
    expect(askedFor(service, disabled)).toBe(1)
  })
})

/** A POST of these header lines over a socket; resolves with all that is answered until the connection closes. */
function rawPost(
  url: string,
  headers: readonly string[],
  send: (write: (bytes: string) => void) => void = () => {},
): Promise<string> {
  const { hostname, port, host } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setEncoding('latin1')
    socket.setTimeout(5_000, () => socket.destroy())
    socket.on('data', (text: string) => {
      answer += text
    })
    socket.on('error', (error: NodeJS.ErrnoException) =>
      answer === '' ? reject(error) : resolve(answer),
    )
    socket.on('close', () => resolve(answer))
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: ${host}\r\n${headers.join('\r\n')}\r\n\r\n`)
    send((bytes) => void socket.write(bytes))
  })
}
