import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '@svc/core'
import { anAccount, fixedClock, NOW, virtualClock } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProbeResult } from '../providers/contract/provider.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { aMadeUpVendor } from '../testing/made-up-vendor.ts'
import { createAuthFilesTransport } from './auth-files.ts'
import { providerIn } from './quota-transport.ts'

const NAME = 'codex-alice.json'
const LOGIN = {
  access_token: 'canary-token',
  refresh_token: 'canary-refresh',
  account_id: 'account-1',
  type: 'codex',
  disabled: false,
}

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'collector-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (content: unknown, name = NAME) =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
const alice: Account = anAccount('alice', {
  selector: { authName: NAME, authIndex: '', accountKey: 'key' },
  vendorAccountId: 'account-from-list',
})
const usage = JSON.stringify({
  plan_type: 'plus',
  rate_limit: { primary_window: { used_percent: 10, limit_window_seconds: 18_000 } },
})
const jsonAnswer = () => new Response(usage, { headers: { 'content-type': 'application/json' } })
const stop = new AbortController().signal

function aTransport(answer: () => Response | Promise<Response> = jsonAnswer, clock = fixedClock()) {
  const requests: Request[] = []
  const fetchVendor: typeof fetch = async (input, init) => {
    requests.push(new Request(input, init))
    return await answer()
  }
  return {
    requests,
    query: (account: Account, isDiagnostic = false): Promise<ProbeResult> =>
      createAuthFilesTransport(folder, { clock, fetch: fetchVendor }).query(
        account,
        stop,
        isDiagnostic,
      ),
  }
}

describe('a query with the account’s own file', () => {
  it('sends the token to the vendor and follows no redirect', async () => {
    write(LOGIN)
    const { requests, query } = aTransport()

    expect(await query(alice)).toMatchObject({
      kind: 'sample',
      sample: { plan: 'plus', sampledAt: NOW, windows: [{ id: '5h', percent: 90 }] },
    })
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({
      url: 'https://chatgpt.com/backend-api/wham/usage',
      method: 'GET',
      redirect: 'error',
    })
    expect(Object.fromEntries(requests[0]?.headers ?? [])).toMatchObject({
      authorization: 'Bearer canary-token',
      'accept-encoding': 'identity',
      'chatgpt-account-id': 'account-1',
      'user-agent': 'codex_cli_rs/0.145.0',
    })
  })

  it('takes the account id from the list when the file has none', async () => {
    write({ access_token: 'token' })
    const { requests, query } = aTransport()
    await query(alice)

    expect(requests[0]?.headers.get('chatgpt-account-id')).toBe('account-from-list')
  })

  it('never renews a token, whatever the vendor says of it', async () => {
    write(LOGIN)
    const { requests, query } = aTransport(
      () => new Response('{"error":{"code":"token_expired"}}', { status: 401 }),
    )

    expect(await query(alice)).toEqual({ kind: 'auth', httpStatus: 401 })
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['disabled in the file', { ...LOGIN, disabled: true }],
    ['of another provider', { ...LOGIN, type: 'claude' }],
  ])('%s: nothing is sent', async (_what, content) => {
    write(content)
    const { requests, query } = aTransport()

    expect(await query(alice)).toEqual({ kind: 'failed', code: 'bad_payload', httpStatus: null })
    expect(requests).toHaveLength(0)
  })

  it('of an account the list shows as disabled, nothing is sent', async () => {
    write(LOGIN)
    const { requests, query } = aTransport()

    await expect(query({ ...alice, operatorDisabled: true })).rejects.toThrow(UpstreamError)
    expect(requests).toHaveLength(0)
  })

  it('of an account that is disabled, in the list and in the file, one query is sent for diagnosis', async () => {
    write({ ...LOGIN, disabled: true })
    const { requests, query } = aTransport()

    expect(await query({ ...alice, operatorDisabled: true }, true)).toMatchObject({
      kind: 'sample',
    })
    expect(requests).toHaveLength(1)
  })

  it('under a name that leaves the directory, nothing is sent', async () => {
    const { requests, query } = aTransport(jsonAnswer, virtualClockThatRuns())

    expect(
      await query({ ...alice, selector: { ...alice.selector, authName: '../outside.json' } }),
    ).toMatchObject({ kind: 'failed' })
    expect(requests).toHaveLength(0)
  })
})

/** A clock that runs its tasks at once. */
function virtualClockThatRuns() {
  return {
    ...fixedClock(),
    schedule(_delayMs: number, task: () => void) {
      if (_delayMs < 1000) setImmediate(task)
      return () => undefined
    },
  }
}

describe('a half-written file', () => {
  it('is read again 200 ms later', async () => {
    write('{"access_token":"cana')
    const clock = virtualClock(() => new Promise((resolve) => setTimeout(resolve, 20)))
    const { requests, query } = aTransport(jsonAnswer, clock)
    const pending = query(alice)
    await expect.poll(() => clock.scheduledCount).toBe(1)
    await clock.advance(199)
    write(LOGIN)
    expect(requests).toHaveLength(0)
    await clock.advance(1)

    expect(await pending).toMatchObject({ kind: 'sample' })
  })

  it('that stays so is a failure that says nothing of the account', async () => {
    write('{"access_token":"cana')
    const { requests, query } = aTransport(jsonAnswer, virtualClockThatRuns())

    expect(await query(alice)).toEqual({ kind: 'failed', code: 'bad_payload', httpStatus: null })
    expect(requests).toHaveLength(0)
  })
})

describe('the vendor’s answer', () => {
  beforeEach(() => write(LOGIN))

  it.each<[string, () => Response | Promise<Response>, string]>([
    ['too large', () => new Response('x'.repeat(256 * 1024 + 1)), 'too_large'],
    [
      'compressed',
      () => new Response('x', { headers: { 'content-encoding': 'br' } }),
      'bad_payload',
    ],
    [
      'no connection',
      () => Promise.reject(new TypeError('fetch failed canary-token')),
      'unreachable',
    ],
  ])('%s is a failure of the way there', async (_what, answer, code) => {
    const error: unknown = await aTransport(answer)
      .query(alice)
      .catch((reason: unknown) => reason)

    expect(error).toMatchObject({ name: 'UpstreamError', code })
    expect(String(error)).not.toContain('canary')
  })
})

describe('a query of another vendor with the account’s own file', () => {
  const kimi: Account = { ...alice, provider: 'kimi' }
  const vendor = aMadeUpVendor({
    quotaRequest: () => ({ url: 'https://vendor.test/quota', headers: {}, body: '{"account":1}' }),
    otherQuotaRequests: () => [{ url: 'https://other.test/quota', headers: {} }],
    planQuery: {
      everySeconds: 60,
      request: () => ({ url: 'https://vendor.test/plan', headers: {} }),
      planOf: () => ({ plan: 'pro', vendorIdentity: null }),
    },
  })
  const transportTo = (answer: (request: Request) => Response) => {
    const requests: Request[] = []
    const transport = createAuthFilesTransport(
      folder,
      {
        clock: fixedClock(),
        async fetch(input, init) {
          const request = new Request(input, init)
          requests.push(request)
          return answer(request)
        },
      },
      providerIn([vendor]),
    )
    return { requests, transport }
  }

  it('sends its body as a POST, then asks at the other address, and for the plan', async () => {
    write(LOGIN)
    const { requests, transport } = transportTo(({ url }) =>
      url.startsWith('https://vendor.test/quota')
        ? new Response('', { status: 503 })
        : new Response('{"left":40}'),
    )

    expect((await transport.query(kimi, stop, false)).kind).toBe('sample')
    expect(await transport.queryPlan(kimi, stop)).toEqual({ plan: 'pro', vendorIdentity: null })
    const sent = requests.map(({ method, url }) => `${method} ${url}`)
    expect(sent).toEqual([
      'POST https://vendor.test/quota',
      'GET https://other.test/quota',
      'GET https://vendor.test/plan',
    ])
    expect(await requests[0]?.text()).toBe('{"account":1}')
  })

  it('that cannot be reached is the failure of one account', async () => {
    write(LOGIN)
    const { transport } = transportTo(() => {
      throw new UpstreamError('dns', 'no such host')
    })

    expect(await transport.query(kimi, stop, false)).toEqual({
      kind: 'failed',
      code: 'dns',
      httpStatus: null,
    })
  })

  it('is not made for a provider that is not queried', () => {
    expect(transportTo(jsonAnswer).transport.canQuery(alice)).toBe(false)
  })
})
