import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type LogFields, plusMs, Redacted, type SourceFailureCode } from '@svc/core'
import { NOW, virtualClock } from '@svc/core/testing'
import {
  aFakeAccount,
  createFakeUpstream,
  type FakeAccount,
  fakeRoutes,
  fetchOf,
  livePool,
  samplePool,
} from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { createLiveSource, type LiveSource } from './live-source.ts'
import { type ChangedOptions, liveSourceOptions } from './testing/live-source-options.ts'

const KEY = 'canary-management-key'
const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function settle(): Promise<void> {
  for (let turns = 0; turns < 6; turns += 1)
    await new Promise<void>((resolve) => setImmediate(resolve))
}

const running: LiveSource[] = []
const folders: string[] = []
afterEach(async () => {
  for (const source of running.splice(0)) await source.stop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

interface WorldShape {
  readonly accounts?: readonly FakeAccount[]
  readonly options?: ChangedOptions
  /** What the proxy's clock is ahead of ours. */
  readonly skewMs?: number
}

function aWorld({
  accounts = [aFakeAccount({ name: 'alice' })],
  options = {},
  skewMs = 0,
}: WorldShape = {}) {
  const clock = virtualClock(settle)
  const fake = createFakeUpstream({
    now: () => plusMs(clock.now(), skewMs),
    managementKey: KEY,
    accounts,
    sleep: (milliseconds) => new Promise((resolve) => void clock.schedule(milliseconds, resolve)),
  })
  const lines: {
    readonly level: string
    readonly event: string
    readonly fields: LogFields | undefined
  }[] = []
  const line = (level: string) => (event: string, fields?: LogFields) =>
    void lines.push({ level, event, fields })
  const reports: string[] = []
  let changes = 0
  const source = createLiveSource(liveSourceOptions(KEY, options), {
    clock,
    fetch: fetchOf(fake),
    random: () => 0.5,
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    usageSink: null,
    report: {
      upstreamError: (endpoint, code) => void reports.push(`error ${endpoint} ${code}`),
      probe: (quotaClass, result) => void reports.push(`probe ${quotaClass} ${result}`),
      accountRefresh: (result) => void reports.push(`refresh ${result}`),
    },
  })
  running.push(source)
  source.start(() => {
    changes += 1
  })
  const latest = () => source.latest(clock.now())
  return {
    clock,
    fake,
    source,
    lines,
    reports,
    latest,
    changeCount: () => changes,
    evidenceOf: (account: FakeAccount) => latest().evidenceByAuthName.get(account.fileName),
    listedAt: () => latest().accountList.lastGood?.at,
    callsOf: (account: FakeAccount) =>
      fake.vendorCalls.filter((call) => call.token === account.token).length,
  }
}

const managementRequests = (world: ReturnType<typeof aWorld>) =>
  world.fake.requests.filter((request) => request.route !== 'healthz').length

function aKeyFile(key: string): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'collector-'))
  folders.push(folder)
  const path = join(folder, 'key')
  writeFileSync(path, key, { mode: 0o600 })
  return path
}

/** Waits for real file reads on top of virtual time. */
async function advanceWithFiles(
  world: ReturnType<typeof aWorld>,
  milliseconds: number,
): Promise<void> {
  await world.clock.advance(milliseconds)
  // Files are read by threads of Node: so long as one answers after the other, what was asked before has been answered.
  for (let waits = 0; waits < 40; waits += 1) {
    await stat('/')
    await world.clock.advance(0)
  }
}

describe('a running proxy', () => {
  it('is read whole within the first seconds', async () => {
    const world = aWorld({ accounts: samplePool(NOW) })
    await world.clock.advance(1000)

    const observation = world.latest()
    expect(observation).toMatchObject({
      kind: 'live',
      accountRefreshSeconds: 15,
      management: { kind: 'accepted' },
      gateway: { outcome: { kind: 'ok' } },
      usageStatistics: { lastGood: { value: { enabled: true } } },
      directQuota: { outcome: { kind: 'ok' } },
      upstreamVersion: 'v7.2.140',
      clockSkewSeconds: 0,
    })
    expect(observation.accountList.lastGood?.value.accounts).toHaveLength(12)
    // All but the disabled one have been asked about.
    expect(observation.evidenceByAuthName.size).toBe(11)
    expect(world.changeCount()).toBeGreaterThan(10)
    expect(
      world.lines
        .filter((line) => line.event === 'source answers')
        .map((line) => line.fields?.source),
    ).toEqual(expect.arrayContaining(['gateway', 'accounts', 'usage statistics', 'direct quota']))
  })

  it('before the first answer nothing is known, and nothing has failed', () => {
    expect(aWorld().latest()).toMatchObject({
      management: { kind: 'unproven' },
      accountList: { outcome: { kind: 'pending' }, lastGood: null },
      directQuota: { outcome: { kind: 'pending' } },
      upstreamVersion: null,
      clockSkewSeconds: null,
    })
  })

  it('shows its own clock, and its times are told on ours', async () => {
    const alice = aFakeAccount({
      name: 'alice',
      nextRetryAt: plusMs(NOW, 11 * MINUTE),
      unavailable: true,
      status: 'error',
      statusMessage: 'quota',
    })
    const world = aWorld({ accounts: [alice], skewMs: 10 * MINUTE })
    await world.clock.advance(1000)

    expect(world.latest().clockSkewSeconds).toBe(600)
    expect(world.latest().accountList.lastGood?.value.accounts[0]?.nextRetryAt).toBe(
      plusMs(NOW, MINUTE),
    )
  })

  it('is left alone after stop', async () => {
    const world = aWorld({ accounts: samplePool(NOW) })
    await world.clock.advance(MINUTE)
    await world.source.stop()
    const requests = world.fake.stats.requests
    await world.clock.advance(HOUR)

    expect(world.fake.stats.requests).toBe(requests)
    expect(world.clock.scheduledCount).toBe(0)
  })

  it('with quota queries off is never asked to forward anything', async () => {
    const world = aWorld({ options: { quota: { quotaTransport: 'off' } } })
    await world.clock.advance(HOUR)

    expect(world.fake.stats.requestsByRoute['api-call']).toBe(0)
    expect(world.latest().directQuota.outcome).toEqual({ kind: 'off', reason: 'switched_off' })
  })
})

describe('the management key', () => {
  it('refused once is not tried again for two hours, and twice in four', async () => {
    const world = aWorld({ options: { upstream: { managementKey: new Redacted('wrong') } } })
    await world.clock.advance(2 * HOUR)

    expect(world.fake.stats).toMatchObject({
      refusedRequests: 1,
      bannedRequests: 0,
      authenticatedRequests: 0,
      failedAttempts: 1,
    })
    expect(managementRequests(world)).toBe(1)
    expect(world.latest()).toMatchObject({
      management: {
        kind: 'refused',
        failure: 'unauthorized',
        at: NOW,
        nextAttemptAt: plusMs(NOW, 150 * MINUTE),
      },
      accountList: { outcome: { kind: 'failed', code: 'unauthorized' }, failuresInARow: 1 },
      gateway: { outcome: { kind: 'ok' } },
    })
    await world.clock.advance(2 * HOUR)
    expect(managementRequests(world)).toBe(2)
    expect(world.fake.stats.failedAttempts).toBeLessThanOrEqual(1)
  })

  it('refused as a whole (403, no ban) is not tried again either', async () => {
    const world = aWorld()
    world.fake.settings.management = 'remote_refused'
    await world.clock.advance(2 * HOUR)

    expect(managementRequests(world)).toBe(1)
    expect(world.latest().management).toMatchObject({ kind: 'refused', failure: 'forbidden' })
  })

  it('is tried at once when its file changes', async () => {
    const path = aKeyFile('wrong\n')
    const world = aWorld({
      options: { upstream: { managementKey: null, managementKeyFile: path } },
    })
    await advanceWithFiles(world, 0)
    expect(world.fake.stats.refusedRequests).toBe(1)
    await advanceWithFiles(world, 5 * MINUTE)
    expect(world.fake.stats.refusedRequests).toBe(1)

    writeFileSync(path, `${KEY}\n`)
    await advanceWithFiles(world, 15_000)

    expect(world.fake.stats.refusedRequests).toBe(1)
    expect(world.latest()).toMatchObject({
      management: { kind: 'accepted' },
      accountList: { outcome: { kind: 'ok' } },
    })
  })

  it('and every other secret in a file that others can read is told of', async () => {
    const path = aKeyFile(KEY)
    const authDir = dirname(path)
    const clientLabelsFile = join(authDir, 'labels.txt')
    for (const file of [clientLabelsFile, join(authDir, 'a.json')]) writeFileSync(file, '{}')
    for (const file of [path, clientLabelsFile, join(authDir, 'a.json')]) chmodSync(file, 0o644)
    chmodSync(authDir, 0o755)
    const options = {
      upstream: { managementKey: null, managementKeyFile: path },
      usage: { clientLabelsFile },
      quota: { authDir },
    }

    const world = aWorld({ options })
    await advanceWithFiles(world, 60_000)
    expect(world.latest().openSecretFiles).toEqual(['management_key', 'client_labels'])

    const reading = aWorld({
      accounts: [],
      options: { ...options, quota: { authDir, quotaTransport: 'auth-files' } },
    })
    await advanceWithFiles(reading, 60_000)
    expect(reading.latest().openSecretFiles).toEqual([
      'management_key',
      'client_labels',
      'auth_files',
    ])
  })

  it('in a file that goes away is missed, and what was read stays', async () => {
    const path = aKeyFile(KEY)
    const world = aWorld({
      options: { upstream: { managementKey: null, managementKeyFile: path } },
    })
    await advanceWithFiles(world, 0)
    rmSync(path)
    await advanceWithFiles(world, 15_000)

    expect(world.latest()).toMatchObject({
      management: { kind: 'unreadable_key', reason: 'missing' },
      accountList: {
        outcome: { kind: 'failed', code: 'no_key' },
        lastGood: { value: { accounts: [{ title: 'alice@example.com' }] } },
      },
    })
    const requests = managementRequests(world)
    await advanceWithFiles(world, HOUR)
    expect(managementRequests(world)).toBe(requests)
    expect(world.lines.filter((line) => line.level === 'warn')).toHaveLength(1)
  })

  it('is tried again when told to reload', async () => {
    const world = aWorld({ options: { upstream: { managementKey: new Redacted('wrong') } } })
    await world.clock.advance(10 * MINUTE)
    world.fake.settings.managementKey = 'wrong'

    world.source.reload()
    await world.clock.advance(1000)

    expect(world.latest().management).toEqual({ kind: 'accepted' })
  })

  it('not set: only the gateway is asked', async () => {
    const world = aWorld({
      options: { upstream: { managementKey: null }, quota: { quotaTransport: 'off' } },
    })
    await world.clock.advance(HOUR)

    expect(managementRequests(world)).toBe(0)
    expect(world.fake.stats.requestsByRoute.healthz).toBeGreaterThan(200)
    expect(world.latest()).toMatchObject({
      management: { kind: 'no_key' },
      accountList: { outcome: { kind: 'failed', code: 'no_key' } },
    })
  })

  it('banned is waited out in silence, then everything recovers alone', async () => {
    const world = aWorld()
    await world.clock.advance(1000)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await world.fake.app.request('/v0/management/auth-files', {
        headers: { authorization: 'Bearer wrong' },
      })
    }
    await world.clock.advance(29 * MINUTE)

    expect(world.fake.stats.bannedRequests).toBe(1)
    expect(world.latest().management).toEqual({
      kind: 'banned',
      until: plusMs(NOW, 30 * MINUTE + 1000),
    })
    expect(world.latest().accountList.outcome).toMatchObject({ kind: 'failed', code: 'banned' })
    await world.clock.advance(2 * MINUTE)
    expect(world.fake.stats.bannedRequests).toBe(1)
    expect(world.latest()).toMatchObject({
      management: { kind: 'accepted' },
      accountList: { outcome: { kind: 'ok' } },
    })
  })

  it('proves itself with one call, then carries at most three at a time', async () => {
    const world = aWorld({ accounts: livePool(50, NOW) })
    for (const account of world.fake.accounts)
      world.fake.setVendor(account, { kind: 'slow', delayMs: 7000 })
    world.fake.setFault('auth-files', { kind: 'delay', delayMs: 3000 })
    world.fake.setFault('usage-statistics-enabled', { kind: 'delay', delayMs: 3000 })
    await world.clock.advance(2900)

    expect(world.fake.stats.managementInFlightMax).toBe(1)
    await world.clock.advance(30 * MINUTE)
    expect(world.fake.stats.managementInFlightMax).toBe(3)
  })
})

describe('a proxy in trouble', () => {
  it('down for ten minutes costs a bounded number of calls, loses nothing, and is back as soon as it answers', async () => {
    const world = aWorld({ accounts: samplePool(NOW) })
    await world.clock.advance(MINUTE)
    const before = world.latest()
    const requests = world.fake.stats.requests
    const lines = () => world.lines.filter(({ level }) => level !== 'debug').length
    const linesBefore = lines()
    for (const route of fakeRoutes) world.fake.setFault(route, { kind: 'drop' })
    await world.clock.advance(10 * MINUTE)

    // Per ten minutes: 25 polls of gateway and list each, some of the switch, and queries that soon pause for 5 min.
    expect(world.fake.stats.requests - requests).toBeLessThan(90)
    expect(lines() - linesBefore).toBeLessThan(45)
    expect(world.latest()).toMatchObject({
      gateway: { outcome: { kind: 'failed', code: 'unreachable' } },
      accountList: { outcome: { kind: 'failed', code: 'unreachable' } },
      management: { kind: 'accepted' },
    })
    expect(world.latest().accountList.lastGood?.value.accounts).toHaveLength(
      before.accountList.lastGood?.value.accounts.length ?? 0,
    )
    expect(world.latest().evidenceByAuthName.size).toBe(before.evidenceByAuthName.size)

    for (const route of fakeRoutes) world.fake.setFault(route, null)
    await world.clock.advance(30_000)
    expect(world.latest()).toMatchObject({
      gateway: { outcome: { kind: 'ok' } },
      accountList: { outcome: { kind: 'ok' } },
    })
    expect(world.latest().directQuota.outcome.kind).toBe('ok')
  })

  it.each<[Parameters<ReturnType<typeof createFakeUpstream>['setFault']>[1], SourceFailureCode]>([
    [{ kind: 'garbage' }, 'bad_payload'],
    [{ kind: 'wrong_root' }, 'bad_payload'],
    [{ kind: 'drip' }, 'timeout'],
    [{ kind: 'delay', delayMs: 20_000 }, 'timeout'],
    [{ kind: 'drop' }, 'unreachable'],
    [{ kind: 'status', status: 500, body: 'canary of the proxy' }, 'server_error'],
    [{ kind: 'status', status: 204 }, 'bad_payload'],
    [
      { kind: 'status', status: 302, headers: { location: 'http://elsewhere.test/' } },
      'redirected',
    ],
    [{ kind: 'body', body: '<html>canary</html>', contentType: 'text/html' }, 'bad_payload'],
  ])('%j on the account list is %s, and touches nothing else', async (fault, code) => {
    const world = aWorld()
    await world.clock.advance(MINUTE)
    world.fake.setFault('auth-files', fault)
    await world.clock.advance(5 * MINUTE)

    expect(world.latest()).toMatchObject({
      accountList: { outcome: { kind: 'failed', code }, lastGood: { value: { accounts: [{}] } } },
      gateway: { outcome: { kind: 'ok' }, failuresInARow: 0 },
      usageStatistics: { outcome: { kind: 'ok' } },
      directQuota: { outcome: { kind: 'ok' } },
      management: { kind: 'accepted' },
    })
    expect(world.reports).toContain(`error auth-files ${code}`)
    world.fake.setFault('auth-files', null)
    await world.clock.advance(45_000)
    expect(world.latest().accountList.outcome.kind).toBe('ok')
  })

  it('without a management API says so', async () => {
    const world = aWorld()
    world.fake.settings.management = 'disabled'
    await world.clock.advance(MINUTE)

    expect(world.latest().accountList.outcome).toMatchObject({
      kind: 'failed',
      code: 'management_disabled',
    })
    expect(world.latest().management).toEqual({ kind: 'unproven' })
  })

  it('with a drifting wall clock keeps the pace', async () => {
    const world = aWorld()
    await world.clock.advance(10 * MINUTE)
    const perTenMinutes = world.fake.stats.requests
    for (const jump of [HOUR, -HOUR, 365 * 24 * HOUR, -365 * 24 * HOUR]) {
      world.clock.jumpWallClock(jump)
      const before = world.fake.stats.requestsByRoute['auth-files']
      await world.clock.advance(10 * MINUTE)
      expect(world.fake.stats.requestsByRoute['auth-files'] - before).toBe(40)
    }
    expect(perTenMinutes).toBeLessThan(100)
  })
})

describe('direct queries', () => {
  it('bring windows, and come again every five minutes', async () => {
    const world = aWorld()
    const [alice] = world.fake.accounts
    await world.clock.advance(1000)
    expect(alice && world.evidenceOf(alice)).toMatchObject({
      samples: [
        {
          origin: 'direct',
          plan: 'plus',
          windows: [
            { id: '5h', percent: 90 },
            { id: 'week', percent: 80 },
          ],
        },
      ],
      probeFailure: null,
      refusedLogin: null,
      plannedIntervalSeconds: 300,
      disabledProbe: { state: 'unknown' },
    })
    await world.clock.advance(HOUR)

    expect(world.fake.vendorCalls).toHaveLength(13)
    expect(world.reports).toContain('probe discovery ok')
    expect(world.reports).toContain('probe primary ok')
    expect(world.fake.vendorCalls[0]).toMatchObject({
      method: 'GET',
      url: 'https://chatgpt.com/backend-api/wham/usage',
      accountHeader: alice?.accountId,
      userAgent: 'codex_cli_rs/0.145.0',
    })
  })

  it('keep below the ceiling, which starts full', async () => {
    const world = aWorld({
      accounts: Array.from({ length: 200 }, (_, index) => aFakeAccount({ name: `user${index}` })),
    })
    await world.clock.advance(1000)
    expect(world.fake.vendorCalls).toHaveLength(30)
    await world.clock.advance(MINUTE - 1000)
    expect(world.fake.vendorCalls).toHaveLength(60)
    await world.clock.advance(5 * MINUTE)
    expect(world.fake.vendorCalls.length).toBeLessThanOrEqual(210)
    // All of them had their turn before anyone had a second one.
    expect(new Set(world.fake.vendorCalls.slice(0, 200).map((call) => call.token)).size).toBe(200)
  })

  it('never use the token of a disabled account, also when it is disabled later', async () => {
    const disabled = aFakeAccount({ name: 'off', disabled: true })
    const later = aFakeAccount({ name: 'later' })
    const world = aWorld({ accounts: [disabled, later] })
    await world.clock.advance(MINUTE)
    const before = world.callsOf(later)
    world.fake.disable(later)
    await world.clock.advance(2 * HOUR)

    expect(world.callsOf(disabled)).toBe(0)
    expect(world.callsOf(later)).toBe(before)
    expect(world.evidenceOf(later)?.samples).toHaveLength(1)
    expect(world.evidenceOf(disabled)).toBeUndefined()
  })

  it('skip an account without an index, which would send the placeholder itself', async () => {
    const world = aWorld({
      accounts: [aFakeAccount({ name: 'alice', entryOverrides: { auth_index: undefined } })],
    })
    await world.clock.advance(HOUR)

    expect(world.fake.vendorCalls).toHaveLength(0)
  })

  it('blocked by a challenge page say nothing of the account and keep the last sample', async () => {
    const alice = aFakeAccount({ name: 'alice' })
    const world = aWorld({ accounts: [alice] })
    await world.clock.advance(MINUTE)
    world.fake.setVendor(alice, 'cloudflare_challenge')
    await world.clock.advance(4 * MINUTE + 1000)

    expect(world.evidenceOf(alice)).toMatchObject({
      samples: [{ origin: 'direct' }],
      probeFailure: { kind: 'blocked', httpStatus: 403, inARow: 1 },
      refusedLogin: null,
    })
    expect(world.reports).toContain('probe primary blocked')
  })

  it('fail one by one: a dead network behind one account leaves the source good', async () => {
    const dead = aFakeAccount({ name: 'dead', vendor: 'network_dead' })
    const alive = aFakeAccount({ name: 'alive' })
    const world = aWorld({ accounts: [dead, alive] })
    await world.clock.advance(HOUR)

    expect(world.evidenceOf(dead)).toMatchObject({
      samples: [],
      probeFailure: { kind: 'failed', httpStatus: null },
    })
    expect(world.evidenceOf(alive)?.probeFailure).toBeNull()
    expect(world.latest().directQuota).toMatchObject({
      outcome: { kind: 'ok' },
      lastGood: { value: { succeeded: 13 } },
    })
    // 1, 2, 4 … 30 min apart.
    expect(world.callsOf(dead)).toBeLessThan(8)
  })

  it('of an account without a token do not hold up the others', async () => {
    const world = aWorld({
      accounts: [aFakeAccount({ name: 'empty', token: null }), aFakeAccount({ name: 'alive' })],
    })
    await world.clock.advance(0)

    expect(world.latest().evidenceByAuthName.size).toBe(2)
    expect(world.latest().directQuota).toMatchObject({
      outcome: { kind: 'ok' },
      lastGood: { value: { succeeded: 1, failed: 1 } },
    })
  })

  it('pause as a whole while the proxy forwards nothing', async () => {
    const world = aWorld({
      accounts: Array.from({ length: 60 }, (_, index) => aFakeAccount({ name: `user${index}` })),
    })
    world.fake.setFault('api-call', { kind: 'status', status: 503 })
    await world.clock.advance(30 * MINUTE)

    expect(world.fake.stats.requestsByRoute['api-call']).toBeLessThan(25)
    expect(world.latest().directQuota).toMatchObject({
      outcome: { kind: 'failed', code: 'server_error' },
    })
    expect(world.latest()).toMatchObject({
      accountList: { outcome: { kind: 'ok' } },
      gateway: { outcome: { kind: 'ok' } },
    })
  })

  it('that all fail fail the source', async () => {
    const world = aWorld({
      accounts: [
        aFakeAccount({ name: 'one', vendor: 'server_error' }),
        aFakeAccount({ name: 'two', vendor: 'malformed' }),
      ],
    })
    await world.clock.advance(MINUTE)

    expect(world.latest().directQuota).toMatchObject({
      outcome: { kind: 'failed' },
      lastGood: null,
    })
  })

  it.each([
    ['120', 120],
    ['3600', 3600],
    ['1e12', 3600],
    ['-1', 60],
    ['soon', 60],
    [null, 60],
  ])('throttled with Retry-After %s wait %d s', async (retryAfter, seconds) => {
    const alice = aFakeAccount({ name: 'alice', vendor: { kind: 'throttled', retryAfter } })
    const world = aWorld({ accounts: [alice] })
    await world.clock.advance(seconds * 1000 - 1)
    expect(world.callsOf(alice)).toBe(1)
    await world.clock.advance(1)

    expect(world.callsOf(alice)).toBe(2)
    expect(world.evidenceOf(alice)?.probeFailure).toMatchObject({
      kind: 'throttled',
      httpStatus: 429,
    })
  })
})

describe('a refused login', () => {
  it.each([
    ['token_invalidated', 401],
    ['deactivated_workspace', 402],
  ] as const)(
    '%s is asked about once more, seconds later, after reading the list again',
    async (behaviour, httpStatus) => {
      const alice = aFakeAccount({ name: 'alice', vendor: behaviour })
      const world = aWorld({ accounts: [alice] })
      await world.clock.advance(2999)

      expect(world.callsOf(alice)).toBe(1)
      expect(world.evidenceOf(alice)?.refusedLogin).toMatchObject({ inARow: 1, httpStatus })
      await world.clock.advance(1)
      expect(world.callsOf(alice)).toBe(2)
      expect(world.fake.stats.requestsByRoute['auth-files']).toBe(2)
      expect(world.evidenceOf(alice)?.refusedLogin).toMatchObject({ inARow: 2, httpStatus })
      await world.clock.advance(26 * MINUTE)
      expect(world.callsOf(alice)).toBe(2)
      expect(world.latest().directQuota.outcome.kind).toBe('ok')

      world.fake.setVendor(alice, 'quota')
      await world.clock.advance(10 * MINUTE)
      expect(world.evidenceOf(alice)).toMatchObject({
        refusedLogin: null,
        probeFailure: null,
        samples: [{ origin: 'direct' }],
      })
    },
  )

  it('shares the reading of the list with others of these seconds', async () => {
    const refused = ['alice', 'bob', 'carol', 'dave'].map((name) =>
      aFakeAccount({ name, vendor: 'token_invalidated' }),
    )
    const world = aWorld({ accounts: refused, options: { quota: { quotaProbesPerMinute: 600 } } })
    await world.clock.advance(4000)

    expect(world.fake.stats.requestsByRoute['auth-files']).toBe(2)
    expect(refused.map((account) => world.evidenceOf(account)?.refusedLogin?.inARow)).toEqual([
      2, 2, 2, 2,
    ])
  })

  it('that a second query does not confirm condemns nobody', async () => {
    const alice = aFakeAccount({ name: 'alice', vendor: 'token_invalidated' })
    const world = aWorld({ accounts: [alice] })
    await world.clock.advance(1000)
    world.fake.setVendor(alice, 'quota')
    await world.clock.advance(3000)

    expect(world.evidenceOf(alice)).toMatchObject({ refusedLogin: null, probeFailure: null })
  })

  it('of an index that has just vanished condemns nobody', async () => {
    const [alice, bob] = [aFakeAccount({ name: 'alice' }), aFakeAccount({ name: 'bob' })]
    // A slow list, so that the query at 300 s goes to an index that is gone since 200 s.
    const world = aWorld({ accounts: [alice, bob], options: { upstream: { refreshSeconds: 600 } } })
    await world.clock.advance(200_000)
    world.fake.remove(alice)
    await world.clock.advance(110_000)

    expect(world.fake.vendorCalls.filter((call) => call.token === '$TOKEN$')).toHaveLength(1)
    expect(world.fake.stats.requestsByRoute['auth-files']).toBe(2)
    expect(world.latest().evidenceByAuthName.has(alice.fileName)).toBe(false)
    expect(world.evidenceOf(bob)).toMatchObject({ refusedLogin: null, samples: [{}] })
    await world.clock.advance(2 * HOUR)
    expect(world.fake.vendorCalls.filter((call) => call.token === '$TOKEN$')).toHaveLength(1)
  })

  it('of an index that a rename has changed condemns nobody, and the new one is asked at once', async () => {
    const alice = aFakeAccount({ name: 'alice' })
    const world = aWorld({ accounts: [alice], options: { upstream: { refreshSeconds: 600 } } })
    await world.clock.advance(200_000)
    world.fake.rename(alice, 'codex-renamed.json')
    await world.clock.advance(110_000)

    expect(world.fake.vendorCalls.map((call) => call.token)).toEqual([
      alice.token,
      '$TOKEN$',
      alice.token,
    ])
    expect(world.evidenceOf(alice)).toMatchObject({
      refusedLogin: null,
      probeFailure: null,
      samples: [{}],
    })
  })

  it('stays unconfirmed while the list cannot be read', async () => {
    const alice = aFakeAccount({ name: 'alice' })
    const world = aWorld({ accounts: [alice] })
    await world.clock.advance(MINUTE)
    world.fake.setVendor(alice, 'token_invalidated')
    world.fake.setFault('auth-files', { kind: 'garbage' })
    await world.clock.advance(30 * MINUTE)

    expect(world.callsOf(alice)).toBeGreaterThan(2)
    expect(world.evidenceOf(alice)?.refusedLogin).toMatchObject({ inARow: 1 })
  })
})

describe('whose evidence it is', () => {
  it('a renamed file takes it along', async () => {
    const alice = aFakeAccount({ name: 'alice' })
    const world = aWorld({ accounts: [alice] })
    await world.clock.advance(MINUTE)
    const [sample] = world.evidenceOf(alice)?.samples ?? []
    world.fake.rename(alice, 'codex-renamed.json')
    await world.clock.advance(16_000)

    expect([...world.latest().evidenceByAuthName.keys()]).toEqual(['codex-renamed.json'])
    expect(world.evidenceOf(alice)?.samples).toEqual([sample])
    expect(world.callsOf(alice)).toBe(1)
  })

  it('another account behind the same file name and index starts empty', async () => {
    const alice = aFakeAccount({ name: 'alice', plan: 'pro' })
    const world = aWorld({ accounts: [alice] })
    await world.clock.advance(MINUTE)
    const bob = aFakeAccount({ name: 'bob', fileName: alice.fileName, vendor: 'network_dead' })
    world.fake.remove(alice)
    world.fake.add(bob)
    expect(world.fake.authIndexOf(bob)).toBe(world.fake.authIndexOf(alice))
    await world.clock.advance(16_000)

    expect(world.evidenceOf(bob)).toMatchObject({ samples: [], refusedLogin: null })
    expect(world.latest().accountList.lastGood?.value.accounts[0]?.title).toBe('bob@example.com')
  })
})

it('no secret and no foreign text reaches the log or the observation', async () => {
  const pool = samplePool(NOW)
  const canaries = ['canary-management-key', 'fake-at-', 'canary-body', 'canary-header', '$TOKEN$']
  for (const account of pool)
    account.statusMessage = `{"error":{"message":"canary-body ${account.token}"}}`
  const world = aWorld({ accounts: pool, options: { upstream: { refreshSeconds: 5 } } })
  const answer = (status: number, contentType: string) =>
    ({
      kind: 'answer',
      status,
      headers: { 'Content-Type': contentType, 'X-Note': 'canary-header' },
      body: '<html>canary-body',
    }) as const
  const faults = [
    null,
    { kind: 'body', body: '{"files":"canary-body"}' },
    { kind: 'body', body: '<html>canary-body', contentType: 'text/canary-header' },
    { kind: 'status', status: 500, body: 'canary-body' },
    { kind: 'status', status: 302, headers: { location: 'http://canary-header.test/' } },
    { kind: 'status', status: 418, body: 'canary-body' },
    { kind: 'drop' },
    { kind: 'garbage' },
  ] as const
  let told = ''
  for (const [index, fault] of faults.entries()) {
    for (const route of fakeRoutes) world.fake.setFault(route, fault)
    for (const account of pool)
      world.fake.setVendor(
        account,
        answer([200, 401, 402, 403, 404, 429, 500, 503][index] ?? 200, 'text/canary-header'),
      )
    await world.clock.advance(7 * MINUTE)
    const observation = world.latest()
    told += JSON.stringify({
      ...observation,
      evidence: [...observation.evidenceByAuthName],
      others: [...(observation.accountList.lastGood?.value.otherProviders ?? [])],
    })
  }
  world.fake.settings.managementKey = 'rotated'
  for (const route of fakeRoutes) world.fake.setFault(route, null)
  await world.clock.advance(MINUTE)
  told += JSON.stringify({
    observation: world.latest(),
    lines: world.lines,
    reports: world.reports,
  })

  expect(told.length).toBeGreaterThan(10_000)
  expect(world.lines.length).toBeGreaterThan(10)
  for (const canary of canaries) expect(told).not.toContain(canary)
})

describe('a benchmark summary', () => {
  it('is off unless one is named', async () => {
    const world = aWorld()
    await world.clock.advance(MINUTE)

    expect(world.latest()).toMatchObject({
      benchmark: { outcome: { kind: 'off', reason: 'not_configured' }, lastGood: null },
      clientLabels: { outcome: { kind: 'off', reason: 'not_configured' } },
      usageFeed: { outcome: { kind: 'off', reason: 'no_store' } },
    })
  })

  it('is read again and again, and outlives a file that breaks', async () => {
    const path = aKeyFile(JSON.stringify({ performance: { comparison: { speedup_p50: 1.5 } } }))
    const world = aWorld({ options: { benchmark: { benchmarkSummary: path } } })
    await advanceWithFiles(world, 1000)
    expect(world.latest().benchmark).toMatchObject({
      outcome: { kind: 'ok' },
      lastGood: { value: { speedup: 1.5 } },
    })

    writeFileSync(path, '{')
    await advanceWithFiles(world, 70_000)
    expect(world.latest().benchmark).toMatchObject({
      outcome: { kind: 'failed', code: 'bad_payload' },
      lastGood: { value: { speedup: 1.5 } },
    })
    writeFileSync(path, JSON.stringify({ performance: { comparison: { speedup_p50: 2 } } }))
    await advanceWithFiles(world, 130_000)
    expect(world.latest().benchmark).toMatchObject({
      outcome: { kind: 'ok' },
      lastGood: { value: { speedup: 2 } },
    })
  })
})
