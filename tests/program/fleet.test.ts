import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { virtualClock } from '@svc/core/testing'
import {
  aFakeAccount,
  aFakeQuota,
  createFakeUpstream,
  type FakeAccount,
  fetchOf,
} from '@svc/fake-proxy'
import type { StatusSnapshot } from '@svc/views'
import { healthSchema, recommendationsSchema, statusSnapshotSchema } from '@svc/views'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settleCompressed } from '../../tooling/eventually.ts'
import { ownConnection } from '../../tooling/service/built-program.ts'
import { type ServiceHere, startHere } from '../../tooling/service/service-here.ts'
import { contractErrors } from '../contract.ts'
import { unnamed } from '../fleet.ts'

/** Turns of the event loop in a row without a file on its way, after which nothing follows from one any more. */
const QUIET_TURNS = 12

/** Calls to the proxies that are not answered yet. */
const calls: { readonly host: string; readonly answer: () => void }[] = []

/**
 * Lets what is under way finish. Key files are read by threads of Node, so neither how many turns that takes nor which proxy is called first is
 * known: the calls are answered one by one, those to the first proxy first.
 */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < QUIET_TURNS || calls.length > 0; quiet += 1) {
    if (quiet >= QUIET_TURNS) {
      calls.sort((one, other) => HOSTS.indexOf(one.host) - HOSTS.indexOf(other.host))
      calls.shift()?.answer()
      quiet = 0
    }
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (process.getActiveResourcesInfo().some((name) => /^(?:FSReq|CloseReq)/.test(name))) quiet = 0
  }
}

const quota = (fiveHour: number, week: number) => ({
  quota: aFakeQuota('two_windows', { used: [fiveHour, week] }),
})
const alice = () => aFakeAccount({ name: 'alice', plan: 'pro', ...quota(30, 50) })

const REVOKED = '{"error":{"code":"token_revoked"}}'

/** alice at all three, logged out at berlin; bob at two; two people whose files are called the same and say no address; nothing is read of paris. */
const ACCOUNTS: Readonly<Record<string, readonly FakeAccount[]>> = {
  tokyo: [alice(), aFakeAccount({ name: 'bob', ...quota(100, 80) }), unnamed('x')],
  berlin: [
    { ...alice(), vendor: 'token_invalidated', status: 'error', statusMessage: REVOKED },
    aFakeAccount({ name: 'bob', ...quota(100, 80) }),
    unnamed('y'),
    aFakeAccount({ name: 'off', disabled: true }),
  ],
  paris: [alice()],
}

const HOSTS = Object.keys(ACCOUNTS).map((name) => `${name}.test:8317`)

const goldenFile = (name: string) => join(import.meta.dirname, 'golden', `fleet-${name}.json`)

describe('three proxies', () => {
  const clock = virtualClock(settle)
  const folder = mkdtempSync(join(tmpdir(), 'svc-golden-fleet-'))
  let service: ServiceHere

  beforeAll(async () => {
    const fakes = new Map(
      Object.entries(ACCOUNTS).map(([name, accounts]) => [
        `${name}.test:8317`,
        createFakeUpstream({
          now: clock.now,
          managementKey: name === 'paris' ? 'another-key' : `key-of-${name}`,
          accounts,
        }),
      ]),
    )
    const tables = Object.keys(ACCOUNTS).map((name) => {
      const file = join(folder, name)
      writeFileSync(file, `key-of-${name}`, { mode: 0o600 })
      return `[[upstream]]\nname = "${name}"\nurl = "http://${name}.test:8317"\nmanagement_key_file = "${file}"\n`
    })
    service = await startHere({
      time: clock,
      demo: false,
      key: null,
      flags: {},
      configText: tables.join(''),
      fetch(input, init) {
        const { host } = new URL(input instanceof Request ? input.url : String(input))
        const fake = fakes.get(host)
        if (fake === undefined) return Promise.reject(new TypeError('fetch failed'))
        return new Promise<void>((answer) => calls.push({ host, answer })).then(() =>
          fetchOf(fake)(input, init),
        )
      },
    })
    await clock.advance(120_000)
    await settleCompressed()
  })
  afterAll(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true })
  })

  const bodyOf = async (path: string): Promise<unknown> =>
    (await fetch(service.url + path, ownConnection)).json()

  it.each([
    { name: 'recommendations', schema: recommendationsSchema },
    { name: 'status', schema: statusSnapshotSchema },
    { name: 'health', schema: healthSchema },
  ])('golden: /api/v1/$name', async ({ name, schema }) => {
    const path = `/api/v1/${name}`
    const body = await bodyOf(path)

    expect(v.safeParse(schema, body).issues).toBeUndefined()
    expect(contractErrors(path, body)).toEqual([])
    await expect(`${JSON.stringify(body, null, 1)}\n`).toMatchFileSnapshot(goldenFile(name))
  })

  it('golden: /api/v1/recommendations?upstream=berlin', async () => {
    const body = await bodyOf('/api/v1/recommendations?upstream=berlin')

    expect(contractErrors('/api/v1/recommendations', body)).toEqual([])
    await expect(`${JSON.stringify(body, null, 1)}\n`).toMatchFileSnapshot(
      goldenFile('recommendations-berlin'),
    )
  })

  it('the status of one proxy fits the contract, and counts what that proxy has', async () => {
    const body = await bodyOf('/api/v1/status?upstream=tokyo')

    expect(contractErrors('/api/v1/status', body)).toEqual([])
    expect((body as StatusSnapshot).summary.fiveHour.trackedUnits).toBe(22)
    expect((await fetch(`${service.url}/api/v1/status?upstream=oslo`)).status).toBe(404)
  })
})
