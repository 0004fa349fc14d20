import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { plusMs } from '@svc/core'
import {
  Redacted,
  type RefreshFailure,
  type RefreshRun,
  type SourceFailureCode,
} from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import {
  aFakeAccount,
  type createFakeUpstream,
  fakeRoutes,
  livePool,
  samplePool,
} from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { runAfter } from './live-source.ts'
import {
  aSecretFile,
  aWorld,
  endWorlds,
  HOUR,
  KEY,
  MINUTE,
  managementRequests,
} from './testing/live-world.ts'

afterEach(endWorlds)

describe('a running proxy', () => {
  it('is read whole within the first seconds', async () => {
    const world = aWorld({ accounts: samplePool(NOW) })
    await world.clock.advance(1000)

    const observation = world.latest()
    expect(observation).toMatchObject({
      kind: 'live',
      accountRefreshSeconds: 15,
      management: { kind: 'accepted' },
      sources: {
        gateway: { outcome: { kind: 'ok' } },
        usage_statistics: { lastGood: { value: { enabled: true } } },
        direct_quota: { outcome: { kind: 'ok' } },
      },
      upstreamVersion: 'v7.2.140',
      clockSkewSeconds: 0,
    })
    expect(observation.sources.accounts.lastGood?.value.accounts).toHaveLength(13)
    // All accounts but the disabled one were queried.
    expect(observation.evidenceByAuthName.size).toBe(12)
    expect(world.changeCount()).toBeGreaterThan(10)
    expect(
      world.lines
        .filter((line) => line.event === 'source answers')
        .map((line) => line.fields?.source),
    ).toEqual(expect.arrayContaining(['gateway', 'accounts', 'usage statistics', 'direct quota']))
  })

  it('is observed with the addresses it is asked at', () => {
    const { sources } = aWorld().latest()

    expect([
      sources.gateway.address,
      sources.accounts.address,
      sources.direct_quota.address,
    ]).toEqual(['http://proxy.test:8317/healthz', 'http://proxy.test:8317', undefined])
  })

  it('has the page of the proxy on the account list alone', () => {
    const { sources } = aWorld().latest()

    expect(
      Object.entries(sources).flatMap(([id, { pageUrl }]) => (pageUrl ? [[id, pageUrl]] : [])),
    ).toEqual([['accounts', 'http://proxy.test:8317/management.html']])
  })

  it('before the first answer nothing is known, and nothing has failed', () => {
    expect(aWorld().latest()).toMatchObject({
      management: { kind: 'unproven' },
      sources: {
        accounts: { outcome: { kind: 'pending' }, lastGood: null },
        direct_quota: { outcome: { kind: 'pending' } },
      },
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
    expect(world.latest().sources.accounts.lastGood?.value.accounts[0]?.nextRetryAt).toBe(
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

    // Per ten minutes: 25 polls each of gateway and account list, some of the statistics switch, and queries that soon pause for 5 min.
    expect(world.fake.stats.requests - requests).toBeLessThan(90)
    expect(lines() - linesBefore).toBeLessThan(45)
    expect(world.latest()).toMatchObject({
      sources: {
        gateway: { outcome: { kind: 'failed', code: 'unreachable' } },
        accounts: { outcome: { kind: 'failed', code: 'unreachable' } },
      },
      management: { kind: 'accepted' },
    })
    expect(world.latest().sources.accounts.lastGood?.value.accounts).toHaveLength(
      before.sources.accounts.lastGood?.value.accounts.length ?? 0,
    )
    expect(world.latest().evidenceByAuthName.size).toBe(before.evidenceByAuthName.size)

    for (const route of fakeRoutes) world.fake.setFault(route, null)
    await world.clock.advance(30_000)
    expect(world.latest().sources).toMatchObject({
      gateway: { outcome: { kind: 'ok' } },
      accounts: { outcome: { kind: 'ok' } },
      direct_quota: { outcome: { kind: 'ok' } },
    })
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
      sources: {
        accounts: { outcome: { kind: 'failed', code }, lastGood: { value: { accounts: [{}] } } },
        gateway: { outcome: { kind: 'ok' }, failuresInARow: 0 },
        usage_statistics: { outcome: { kind: 'ok' } },
        direct_quota: { outcome: { kind: 'ok' } },
      },
      management: { kind: 'accepted' },
    })
    expect(world.reports).toContain('upstream_errors_total auth-files')
    world.fake.setFault('auth-files', null)
    await world.clock.advance(45_000)
    expect(world.latest().sources.accounts.outcome.kind).toBe('ok')
  })

  it('without a management API says so', async () => {
    const world = aWorld()
    world.fake.settings.management = 'disabled'
    await world.clock.advance(MINUTE)

    expect(world.latest().sources.accounts.outcome).toMatchObject({
      kind: 'failed',
      code: 'management_disabled',
    })
    expect(world.latest().management).toEqual({ kind: 'unproven' })
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

function aRun(failure: RefreshFailure | null) {
  const cancelled: true[] = []
  const run: RefreshRun = {
    tally: () => ({ queued: 3, done: 1, failed: 0 }),
    expectedMs: () => 2_000,
    ended: Promise.resolve(failure),
    cancel: () => void cancelled.push(true),
  }
  return { run, cancelled }
}

function aSignal() {
  let come = () => {}
  const came = new Promise<void>((resolve) => {
    come = resolve
  })
  return { came, come: () => come() }
}

describe('a run that waits', () => {
  it('has nothing to tell before it begins, and then what the run tells', async () => {
    const ready = aSignal()
    const waiting = runAfter(ready.came, () => aRun('unauthorized').run)
    expect([waiting.tally(), waiting.expectedMs()]).toEqual([
      { queued: 0, done: 0, failed: 0 },
      null,
    ])

    ready.come()
    expect(await waiting.ended).toBe('unauthorized')
    expect([waiting.tally().queued, waiting.expectedMs()]).toEqual([3, 2_000])
  })

  it('never begins once it is cancelled', async () => {
    const ready = aSignal()
    let begun = 0
    const waiting = runAfter(ready.came, () => {
      begun += 1
      return aRun(null).run
    })
    waiting.cancel()
    ready.come()

    expect([await waiting.ended, begun]).toEqual(['cancelled', 0])
  })
})

afterEach(endWorlds)

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
      sources: {
        accounts: { outcome: { kind: 'failed', code: 'unauthorized' }, failuresInARow: 1 },
        gateway: { outcome: { kind: 'ok' } },
      },
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
    const path = aSecretFile('wrong\n')
    const world = aWorld({
      options: { upstream: { managementKey: null, managementKeyFile: path } },
    })
    await world.clock.advance(0)
    expect(world.fake.stats.refusedRequests).toBe(1)
    await world.clock.advance(5 * MINUTE)
    expect(world.fake.stats.refusedRequests).toBe(1)

    writeFileSync(path, `${KEY}\n`)
    await world.clock.advance(15_000)

    expect(world.fake.stats.refusedRequests).toBe(1)
    expect(world.latest()).toMatchObject({
      management: { kind: 'accepted' },
      sources: { accounts: { outcome: { kind: 'ok' } } },
    })
  })

  it('and every other secret in a file that others can read is reported', async () => {
    const path = aSecretFile(KEY)
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
    await world.clock.advance(60_000)
    expect(world.latest().openSecretFiles).toEqual(['management_key', 'client_labels'])

    const reading = aWorld({
      accounts: [],
      options: { ...options, quota: { authDir, quotaTransport: 'auth-files' } },
    })
    await reading.clock.advance(60_000)
    expect(reading.latest().openSecretFiles).toEqual([
      'management_key',
      'client_labels',
      'auth_files',
    ])
  })

  it('in a file that goes away is missed, and what was read stays', async () => {
    const path = aSecretFile(KEY)
    const world = aWorld({
      options: { upstream: { managementKey: null, managementKeyFile: path } },
    })
    await world.clock.advance(0)
    rmSync(path)
    await world.clock.advance(15_000)

    expect(world.latest()).toMatchObject({
      management: { kind: 'unreadable_key', reason: 'missing' },
      sources: {
        accounts: {
          outcome: { kind: 'failed', code: 'no_key' },
          lastGood: { value: { accounts: [{ title: 'alice@example.com' }] } },
        },
      },
    })
    const requests = managementRequests(world)
    await world.clock.advance(HOUR)
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
      sources: { accounts: { outcome: { kind: 'failed', code: 'no_key' } } },
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
    expect(world.latest().sources.accounts.outcome).toMatchObject({
      kind: 'failed',
      code: 'banned',
    })
    await world.clock.advance(2 * MINUTE)
    expect(world.fake.stats.bannedRequests).toBe(1)
    expect(world.latest()).toMatchObject({
      management: { kind: 'accepted' },
      sources: { accounts: { outcome: { kind: 'ok' } } },
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
    // Two rounds of all accounts.
    await world.clock.advance(10 * MINUTE)
    expect(world.fake.stats.managementInFlightMax).toBe(3)
  })
})
