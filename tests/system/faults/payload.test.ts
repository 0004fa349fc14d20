import { gzipSync } from 'node:zlib'
import { aFakeAccount, aFakeWindow, type FakeFault } from '@svc/fake-proxy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rssMb } from '../../../tooling/bench/process-cost.ts'
import { eventually } from '../../../tooling/eventually.ts'
import { paceOfBusyMachine } from '../../../tooling/test-instant.ts'
import { underFault } from './base-line.ts'
import { type FaultyService, REFRESH_SECONDS, startFaultyService } from './faulty-service.ts'

const ACCOUNTS = ['one', 'two', 'three']
const LIST_BYTES_MAX_MB = 64
const HUGE_FACTOR = paceOfBusyMachine(3)
const MB = 1024 * 1024

const options = {
  accounts: () => ACCOUNTS.map((name) => aFakeAccount({ name })),
  // So that what ends a huge answer is its size and not, on this fast clock, its time.
  flags: { 'upstream-timeout-seconds': '60' },
}

let service: FaultyService

beforeAll(async () => {
  service = await startFaultyService(options)
  await service.until('live')
})
afterAll(() => service.stop())

const list = (): string =>
  JSON.stringify({
    files: [
      {
        name: 'codex-other@example.com-plus.json',
        provider: 'codex',
        auth_index: 'abc',
        email: 'other@example.com',
      },
    ],
  })
const body = (
  text: string | Uint8Array<ArrayBuffer>,
  more: { contentType?: string; headers?: Record<string, string> } = {},
): FakeFault => ({
  kind: 'body',
  body: text,
  ...more,
})

const titles = async () => (await service.status()).recommendations.items.map(({ title }) => title)

/** Ends every fault and waits for the accounts of before. */
async function restored(): Promise<void> {
  service.setFault(null)
  await eventually(
    'the accounts are back',
    async () =>
      (await titles()).length === ACCOUNTS.length && (await service.status()).source === 'live',
  )
}

/** A list that cannot be used: the poll fails, says why without quoting, the last good accounts stay, and the next good answer mends it. */
async function refused(fault: FakeFault, reason: RegExp): Promise<string> {
  const before = (await service.status()).recommendations.items.map(({ title }) => title)
  const log = service.logSince()
  const failures = async () =>
    (await service.metric('svc_quota_monitor_upstream_errors_total{endpoint="auth-files"}')) ?? 0
  const failedBefore = await failures()
  service.setFault(fault, ['auth-files'])

  await eventually('a poll of the list failed', async () => (await failures()) > failedBefore)
  await eventually(
    'the list is degraded',
    async () => (await service.source('accounts')).tone !== 'good',
  )
  const partial = await service.until('partial')
  const shown = await service.source('accounts')
  const [gateway, up] = [
    await service.source('gateway'),
    await service.metric('svc_quota_monitor_gateway_up'),
  ]
  service.setFault(null)
  await service.until('live')

  expect(partial.recommendations.items.map(({ title }) => title)).toEqual(before)
  expect({ gateway: gateway.tone, up }, 'only that source is degraded').toEqual({
    gateway: 'good',
    up: 1,
  })
  expect(log().join('\n')).toMatch(reason)
  expect(service.output()).not.toContain('fault-marker')
  return `partial, "${shown.code}", ${before.length} accounts kept, live again`
}

describe('what the proxy answers', () => {
  it.for<readonly [string, FakeFault, RegExp]>([
    [
      '200 with an HTML login page',
      body('<html>log in: fault-marker</html>', { contentType: 'text/html' }),
      /HTML page \(text\/html\), not JSON/,
    ],
    ['204', { kind: 'status', status: 204 }, /empty/],
    ['empty body', body(''), /empty/],
    ['truncated JSON', body(list().slice(0, -9)), /not valid JSON/],
    ['trailing garbage', body(`${list()} fault-marker`), /not valid JSON/],
    ['two documents', body(list() + list()), /not valid JSON/],
    ['UTF-16', body(new Uint8Array(Buffer.from(list(), 'utf16le'))), /not valid JSON/],
    ['an array for the object', body('[]'), /expected an object with a list of files/],
    ['a string', body('"files"'), /expected an object with a list of files/],
    ['null', body('null'), /expected an object with a list of files/],
    ['an object for the list', body('{"files":{}}'), /expected an object with a list of files/],
    [
      'a gzip bomb of 200 MB',
      body(new Uint8Array(gzipSync(Buffer.alloc(200 * MB))), {
        headers: { 'content-encoding': 'gzip' },
      }),
      /compressed/,
    ],
  ])('%s', async ([, fault, reason], context) => {
    await underFault(context, service, () => refused(fault, reason))
  })

  it('an empty list is a success, and the only empty one', async (context) => {
    await underFault(context, service, async () => {
      service.setFault(body('{"files":[]}'), ['auth-files'])
      await eventually('no account is left', async () => (await titles()).length === 0)
      const { tone } = await service.source('accounts')
      await restored()

      expect(tone).toBe('good')
      return 'no accounts, source good'
    })
  })

  it('a byte-order mark and invalid UTF-8 inside a string are read', async (context) => {
    await underFault(context, service, async () => {
      const bytes = Buffer.concat([
        Buffer.from('\ufeff'),
        Buffer.from(list().replace('other@example.com"}', 'od?d@example.com"}')),
      ])
      bytes[bytes.indexOf('od?d') + 2] = 0xff
      service.setFault(body(new Uint8Array(bytes)), ['auth-files'])
      await eventually('the odd account is listed', async () =>
        (await titles()).some((title) => title === 'od\ufffdd@example.com'),
      )
      const { source } = await service.status()
      await restored()

      expect(source).toBe('live')
      return 'read, the invalid byte shown as U+FFFD'
    })
  })

  it('JSON nested 200,000 deep is no stack overflow', async (context) => {
    await underFault(context, service, async () => {
      const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`
      service.setFault(
        body(list().replace(']}', `,{"name":"deep.json","provider":"codex","email":${deep}}]}`)),
        ['auth-files'],
      )
      await eventually('its other account is listed', async () =>
        (await titles()).includes('other@example.com'),
      )
      const { detail } = await service.source('accounts')
      await restored()

      expect(detail).toBe(
        "1 Codex account. 1 entry of the proxy's list is left out: number 2 (is no account, or larger than 1 MB).",
      )
      return `one entry deep: "${detail}"; the whole deep: ${await refused(body(`{"files":[],"more":${deep}}`), /nested too deeply/)}`
    })
  })

  it('500 MB without a length are cut off at the cap', async (context) => {
    const shared = service
    // Slower than the rest, and with more time until a list is stale, which it would be before an answer of this size is seen to be cut off.
    service = await startFaultyService({
      ...options,
      factor: HUGE_FACTOR,
      flags: { 'upstream-timeout-seconds': '300', 'refresh-seconds': '60' },
    })
    try {
      await service.until('live')
      const before = rssMb(service.pid)
      await underFault(
        context,
        service,
        async () =>
          `${await refused({ kind: 'huge' }, /larger than/)}, grown by ${Math.round(rssMb(service.pid) - before)} MB`,
        { rssMbMax: before + 2 * LIST_BYTES_MAX_MB },
      )
    } finally {
      await service.stop()
      service = shared
    }
  })

  it('names like __proto__ are ordinary names', async (context) => {
    await underFault(context, service, async () => {
      const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
      const files = names.map((name) => ({
        name,
        provider: 'codex',
        auth_index: name,
        email: `${name}@example.com`,
        label: name,
        status: name,
      }))
      service.setFault(body(`{"files":${JSON.stringify(files)},"__proto__":{"polluted":true}}`), [
        'auth-files',
      ])
      await eventually('all four are listed', async () => (await titles()).length === names.length)
      const shown = await titles()
      await restored()

      expect([...shown].sort()).toEqual([...names].sort())
      return 'four accounts of those names, nothing polluted'
    })
  })

  it('a window of a length nobody knows is shown by its length and takes no known one over', async (context) => {
    const odd = aFakeAccount({ name: 'odd' })
    odd.quota = {
      ...odd.quota,
      main: [aFakeWindow({ seconds: 7_200, usedPercent: 30, resetsInSeconds: 4_000 })],
    }
    await underFault(context, service, async () => {
      const before = (await service.status()).summary.fiveHour
      const windows = async () =>
        (await service.status()).recommendations.items.find(({ title }) => title === odd.email)
          ?.quotaWindows ?? []
      service.fake.add(odd)
      await eventually('the window is shown', async () =>
        (await windows()).some(({ id }) => id === '7200s'),
      )
      const shown = await windows()
      const { summary } = await service.status()
      service.fake.remove(odd)
      await restored()

      expect(shown).toContainEqual(
        expect.objectContaining({ id: '7200s', label: '2h 00min', state: 'known', percent: 70 }),
      )
      expect(summary.fiveHour).toMatchObject({
        knownUnits: before.knownUnits,
        unknownUnits: before.unknownUnits + 1,
      })
      return `${shown.map(({ label, state }) => `${label} ${state}`).join(', ')}; known units stay ${before.knownUnits}, one more is unknown`
    })
  })

  it('a new plan, status and field name are shown as unknown, and count for nothing', async (context) => {
    await underFault(context, service, async () => {
      const files = [
        {
          name: 'new-plan.json',
          provider: 'codex',
          auth_index: 'a',
          email: 'plan@example.com',
          id_token: { plan_type: 'quorum' },
        },
        {
          name: 'new-status.json',
          provider: 'codex',
          auth_index: 'b',
          email: 'status@example.com',
          status: 'hibernating',
        },
        { file: 'renamed-field.json', provider: 'codex', mail: 'nobody@example.com' },
      ]
      service.setFault(body(JSON.stringify({ files })), ['auth-files'])
      // The fake knows no tokens of theirs, and what the vendor says to that is another fault.
      service.setFault({ kind: 'status', status: 500 }, ['api-call'])
      await eventually('both are listed', async () => (await titles()).length === 2)
      const { recommendations, summary } = await service.status()
      const account = await service.source('accounts')
      await restored()

      const item = (email: string) => recommendations.items.find(({ title }) => title === email)
      expect(item('plan@example.com')).toMatchObject({ capacityWeight: 0 })
      expect(item('status@example.com')?.summary).toMatch(/^Unknown status/)
      expect(summary.fiveHour.trackedUnits).toBe(0)
      expect(`${account.summary} ${account.detail}`).toMatch(/1 .*left out/)
      return `new plan weighs 0, "Unknown status", health: "${account.detail}"`
    })
  })

  it('a proxy whose clock is 10 min ahead: the skew is shown, and nothing counts as stale or as of the future', async (context) => {
    await underFault(context, service, async () => {
      service.fake.settings.clockAheadMs = 600_000
      const detail = async () => (await service.source('accounts')).detail ?? ''
      await eventually('the skew is shown', async () =>
        (await detail()).includes("proxy's clock is 10min ahead of ours"),
      )
      const { source, summary } = await service.status()
      const [shown, list] = [await detail(), await service.source('accounts')]
      service.fake.settings.clockAheadMs = 0
      await eventually('the skew is gone', async () => !(await detail()).includes("proxy's clock"))

      expect(source).toBe('live')
      expect(summary.sampleAgeSeconds).toBeLessThan(4 * REFRESH_SECONDS)
      expect(list.summary).toMatch(/^Answered at \d\d:\d\d:\d\d\.$/)
      return shown
    })
  })
})
