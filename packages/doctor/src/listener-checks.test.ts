import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { configWith, type SettingsByName } from '@svc/config/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenerChecks } from './listener-checks.ts'

const nobody: typeof fetch = async () => {
  throw new Error('refused')
}
const ours: typeof fetch = async (url) =>
  Response.json(
    String(url).endsWith('/healthz')
      ? { ok: true }
      : { state: 'good', summary: 'fine', actions: [] },
  )

let taken: Server
let port: number
beforeEach(async () => {
  taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  ;({ port } = taken.address() as AddressInfo)
})
afterEach(() => {
  taken.close()
})

const judged = async (changes: Partial<SettingsByName>, fetch = nobody) => {
  const { service, verdicts } = await listenerChecks(configWith({ port, ...changes }), fetch)
  return { service, ...verdicts }
}
const free = async () => {
  taken.close()
  await once(taken, 'close')
}

describe('the address to listen on', () => {
  it('that is free is fine, and no service runs there', async () => {
    await free()
    const found = await judged({})

    expect(found.bind).toMatchObject({ status: 'ok', detail: `127.0.0.1:${port} is free` })
    expect(found.service).toMatchObject({ status: 'skip', code: 'not_running' })
    expect(found['upstream.queue_rival']).toMatchObject({ status: 'skip', code: 'not_running' })
  })

  it('that another program has is a failure', async () => {
    expect((await judged({})).bind).toMatchObject({ status: 'fail', code: 'in_use' })
  })

  it('that our own service has is fine', async () => {
    const found = await judged({}, ours)

    expect(found.bind).toMatchObject({ status: 'ok', code: 'already_running' })
    expect(found['upstream.queue_rival']).toMatchObject({ status: 'ok' })
  })

  it('of another machine is a failure', async () => {
    expect((await judged({ host: '192.0.2.1' })).bind).toMatchObject({
      status: 'fail',
      code: 'foreign_address',
    })
  })
})

describe('who can reach it', () => {
  it.each<{
    readonly changes: Partial<SettingsByName>
    readonly code: string
    readonly said: string
  }>([
    { changes: { host: '127.0.0.1' }, code: 'ok', said: 'this machine only' },
    { changes: { host: 'localhost' }, code: 'ok', said: 'this machine only' },
    { changes: { host: '0.0.0.0' }, code: 'open_listener', said: 'every network' },
    { changes: { host: '192.0.2.1' }, code: 'open_listener', said: '192.0.2.1' },
    {
      changes: { host: '0.0.0.0', manualQuotaRefreshAuth: 'none' },
      code: 'open_refresh',
      said: 'can start a refresh',
    },
    {
      changes: { host: '127.0.0.1', manualQuotaRefreshAuth: 'none' },
      code: 'ok',
      said: 'this machine only',
    },
  ])('$changes: $code', async ({ changes, code, said }) => {
    await free()
    const { listen_risk } = await judged(changes)

    expect(listen_risk?.code).toBe(code)
    expect(listen_risk?.detail).toContain(said)
  })

  it.each<{
    readonly hosts: readonly (readonly [string, number | null])[]
    readonly code: string
    readonly said: string
  }>([
    { hosts: [], code: 'ok', said: 'none besides this machine' },
    {
      hosts: [
        ['quota.example.com', null],
        ['b.example.com', 8443],
      ],
      code: 'ok',
      said: 'quota.example.com, b.example.com:8443',
    },
    {
      hosts: [
        ['quota.example.com', null],
        ['co.uk', null],
      ],
      code: 'public_suffix',
      said: 'co.uk:',
    },
  ])('by name: $hosts: $code', async ({ hosts, code, said }) => {
    await free()
    const allowedHosts = hosts.map(([host, hostPort]) => ({ host, port: hostPort }))
    const { allowed_hosts } = await judged({ allowedHosts })

    expect(allowed_hosts?.code).toBe(code)
    expect(allowed_hosts?.detail).toContain(said)
  })
})
