import { anAccount, virtualClock } from '@svc/core/testing'
import { aFakeAccount } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import type { ProbeResult } from '../providers/contract/provider.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { aWorld, endWorlds, HOUR, MINUTE } from '../testing/live-world.ts'
import { createPausingTransport } from './account-queries.ts'

afterEach(endWorlds)

// Hours of queries, of which the list is a small part.
const seldom = { upstream: { refreshSeconds: 120 } }
const rarely = { upstream: { refreshSeconds: 600 } }

describe('direct queries', () => {
  it('bring windows, and come again every five minutes', async () => {
    const world = aWorld({ options: rarely })
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
    expect(world.reports).toContain('direct_quota_probes_total discovery ok')
    expect(world.reports).toContain('direct_quota_probes_total primary ok')
    expect(world.fake.vendorCalls[0]).toMatchObject({
      method: 'GET',
      url: 'https://chatgpt.com/backend-api/wham/usage',
      accountHeader: alice?.accountId,
      userAgent: 'codex_cli_rs/0.145.0',
    })
  })

  it('never use the token of a disabled account, also when it is disabled later', async () => {
    const disabled = aFakeAccount({ name: 'off', disabled: true })
    const later = aFakeAccount({ name: 'later' })
    const world = aWorld({ accounts: [disabled, later], options: seldom })
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
      options: rarely,
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
    expect(world.reports).toContain('direct_quota_probes_total primary blocked')
  })

  it('fail one by one: a dead network behind one account leaves the source good', async () => {
    const dead = aFakeAccount({ name: 'dead', vendor: 'network_dead' })
    const alive = aFakeAccount({ name: 'alive' })
    const world = aWorld({ accounts: [dead, alive], options: rarely })
    await world.clock.advance(HOUR)

    expect(world.evidenceOf(dead)).toMatchObject({
      samples: [],
      probeFailure: { kind: 'failed', httpStatus: null },
    })
    expect(world.evidenceOf(alive)?.probeFailure).toBeNull()
    expect(world.latest().sources.direct_quota).toMatchObject({
      outcome: { kind: 'ok' },
      lastGood: { value: { succeeded: 13 } },
    })
    // 1, 2, 4 … 30 min apart.
    expect(world.callsOf(dead)).toBeLessThan(8)
  })

  it('pause as a whole while the proxy forwards nothing', async () => {
    const world = aWorld({
      accounts: Array.from({ length: 60 }, (_, index) => aFakeAccount({ name: `user${index}` })),
      options: rarely,
    })
    world.fake.setFault('api-call', { kind: 'status', status: 503 })
    await world.clock.advance(30 * MINUTE)

    expect(world.fake.stats.requestsByRoute['api-call']).toBeLessThan(25)
    expect(world.latest().sources.direct_quota).toMatchObject({
      outcome: { kind: 'failed', code: 'server_error' },
    })
    expect(world.latest().sources).toMatchObject({
      accounts: { outcome: { kind: 'ok' } },
      gateway: { outcome: { kind: 'ok' } },
    })
  })

  it.each([
    ['120', 120],
    ['1e12', 3600],
    [null, 60],
  ])('throttled with Retry-After %s wait %d s', async (retryAfter, seconds) => {
    const alice = aFakeAccount({ name: 'alice', vendor: { kind: 'throttled', retryAfter } })
    const world = aWorld({ accounts: [alice], options: rarely })
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

afterEach(endWorlds)

describe('a refused login', () => {
  it.each([
    ['token_invalidated', 401],
    ['deactivated_workspace', 402],
  ] as const)(
    '%s is asked about once more, seconds later, after reading the list again',
    async (behaviour, httpStatus) => {
      const alice = aFakeAccount({ name: 'alice', vendor: behaviour })
      const world = aWorld({ accounts: [alice], options: seldom })
      await world.clock.advance(2999)

      expect(world.callsOf(alice)).toBe(1)
      expect(world.evidenceOf(alice)?.refusedLogin).toMatchObject({ inARow: 1, httpStatus })
      await world.clock.advance(1)
      expect(world.callsOf(alice)).toBe(2)
      expect(world.fake.stats.requestsByRoute['auth-files']).toBe(2)
      expect(world.evidenceOf(alice)?.refusedLogin).toMatchObject({ inARow: 2, httpStatus })
      await world.clock.advance(26 * MINUTE)
      expect(world.callsOf(alice)).toBe(2)
      expect(world.latest().sources.direct_quota.outcome.kind).toBe('ok')

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
    // A slow list, so that the query at 300 s uses an index that vanished at 200 s.
    const world = aWorld({ accounts: [alice, bob], options: rarely })
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
    const world = aWorld({ accounts: [alice], options: rarely })
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

const alice = anAccount('alice')
const timeout = new UpstreamError('timeout', 'no answer in time')

/** A transport that returns these answers in order. */
function aTransport(...answers: readonly (ProbeResult | Error)[]) {
  const left = [...answers]
  const clock = virtualClock(() => Promise.resolve())
  const stopping = new AbortController()
  const counted: unknown[] = []
  const broken: string[] = []
  const pausing = createPausingTransport(
    {
      endpointOf: () => 'api-call',
      async query() {
        const answer = left.shift()
        if (answer === undefined) throw new Error('asked too often')
        if (answer instanceof Error) throw answer
        return answer
      },
      queryPlan: () => Promise.reject(new Error('no plan is asked for')),
    },
    { queryBroke: (inARow, code) => void broken.push(`${inARow} ${code}`) },
    {
      clock,
      random: () => 1,
      report: { count: (event) => void counted.push(event) },
      stop: stopping.signal,
    },
  )
  return { pausing, clock, stopping, counted, broken, query: () => pausing.query(alice, false) }
}

describe('a query', () => {
  it('that breaks is a failure, is counted under its endpoint, and pauses all for longer each time', async () => {
    const { pausing, query, counted, broken } = aTransport(timeout, timeout)
    expect(await query()).toEqual({ kind: 'failed', code: 'timeout', httpStatus: null })
    expect(pausing.pausedUntilMs()).toBe(2000)
    await query()

    expect(pausing.pausedUntilMs()).toBe(4000)
    expect(counted).toEqual(
      Array(2).fill({ counter: 'upstream_errors_total', endpoint: 'api-call' }),
    )
    expect(broken).toEqual(['1 timeout', '2 timeout'])
  })

  it.each(['banned', 'no_key'] as const)(
    'held back as %s pauses nothing and counts as nothing',
    async (code) => {
      const { pausing, query, counted, broken } = aTransport(new UpstreamError(code, 'not sent'))

      expect(await query()).toBe('held')
      expect(pausing.pausedUntilMs()).toBe(0)
      expect([...counted, ...broken]).toEqual([])
    },
  )

  it('that breaks because it is stopped pauses nothing and counts as nothing', async () => {
    const { pausing, stopping, query, counted } = aTransport(timeout)
    stopping.abort()

    expect(await query()).toBe('held')
    expect(pausing.pausedUntilMs()).toBe(0)
    expect(counted).toEqual([])
  })

  it('may go out at once when the pause is ended', async () => {
    const { pausing, query, broken } = aTransport(timeout, timeout)
    await query()
    pausing.endPause()
    expect(pausing.pausedUntilMs()).toBe(0)
    await query()

    expect(broken).toEqual(['1 timeout', '1 timeout'])
  })
})
