import { defaultPolicy, evaluateAccount } from '@svc/core'
import { aFakeAccount, aFakeQuota, type FakeAccountShape, fakeWindows } from '@svc/fake-proxy'
import { afterEach, expect, it } from 'vitest'
import { MINUTE } from './testing/live-world.ts'
import { endDays, vendorDays } from './testing/vendor-days.ts'

afterEach(endDays)

const PROVIDERS = ['codex', 'claude', 'xai', 'kimi']

/** Monitors that ask no vendor, one after the other, in front of one account that clients use. */
function aWorld(shape: Omit<FakeAccountShape, 'name'>) {
  const file = aFakeAccount({ ...shape, name: 'alice' })
  const other = aFakeAccount({ name: 'other', provider: 'kimi' })
  const world = vendorDays({
    accounts: [file, other],
    providers: PROVIDERS,
    refreshSeconds: 15,
    readsUsage: true,
    quotaTransport: 'off',
  })
  let monitor = world.monitor()
  return {
    ...world,
    file,
    now: () => monitor,
    evidence: () => world.known(monitor, file).evidence,
    reasons() {
      const { account, evidence } = world.known(monitor, file)
      return evaluateAccount(account, evidence, defaultPolicy, world.clock.now()).blockedReasons
    },
    async restarts() {
      monitor.dies()
      monitor = world.monitor()
      await world.advance(40_000)
    },
    /** The proxy forgets the errors of every account, as at any change of a file. */
    async forgets() {
      world.fake.write(other)
      await world.advance(16_000)
    },
  }
}

it.each<{ readonly provider: string; readonly shape?: Partial<FakeAccountShape> }>([
  { provider: 'codex' },
  { provider: 'claude' },
  { provider: 'xai', shape: { windows: fakeWindows({ day: 20 }) } },
])(
  'windows of $provider that clients are told in headers are read where queries are off',
  async ({ provider, shape }) => {
    const world = aWorld({ provider, ...shape })
    await world.advance(20_000)
    world.fake.traffic(world.file, { success: 2 })
    await world.advance(20_000)

    const samples = world.evidence()?.samples ?? []
    expect(samples.map(({ origin }) => origin)).toContain('headers')
    expect(samples.flatMap(({ windows }) => windows)).not.toEqual([])
    expect(world.calls).toEqual([])
    const { source } = world.now()
    expect(await source.refresher.begin({ scope: 'default' }).ended).toBe('quota_off')
    expect(source.latest(world.clock.now()).sources.direct_quota.outcome).toEqual({
      kind: 'off',
      reason: 'switched_off',
    })
  },
)

it.each<{ readonly what: string; readonly shape: Omit<FakeAccountShape, 'name'> }>([
  { what: 'a 429 of codex', shape: { quota: aFakeQuota('exhausted_5h') } },
  { what: 'a 429 of claude', shape: { provider: 'claude', windows: fakeWindows({ '5h': 100 }) } },
  { what: 'a 429 of xai', shape: { provider: 'xai', vendor: 'clients_throttled' } },
  { what: 'a 402 of xai', shape: { provider: 'xai', vendor: 'credits_exhausted' } },
  { what: 'a 402 of codex', shape: { vendor: 'deactivated_workspace' } },
  { what: 'a 403 of kimi', shape: { provider: 'kimi', vendor: 'credits_exhausted' } },
])(
  '$what blocks where queries are off, also once the proxy has forgotten it',
  async ({ shape }) => {
    const world = aWorld(shape)
    await world.advance(20_000)
    world.fake.traffic(world.file, { failed: 1 })
    await world.advance(20_000)
    expect(world.reasons()).not.toEqual([])
    await world.forgets()

    expect(world.reasons()).not.toEqual([])
    expect(world.calls).toEqual([])

    // The proxy may forget it before a list has shown it: then the record alone tells.
    const other = aWorld(shape)
    await other.advance(20_000)
    other.fake.traffic(other.file, { failed: 1 })
    await other.forgets()
    expect(other.reasons()).not.toEqual([])
  },
)

it.each(PROVIDERS)(
  'refusals of a login of %s block where queries are off, over a kill too',
  async (provider) => {
    const world = aWorld({
      provider,
      vendor: provider === 'codex' ? 'token_invalidated' : 'token_revoked',
    })
    await world.advance(20_000)
    world.fake.traffic(world.file, { failed: 1 })
    await world.advance(16 * MINUTE)
    world.fake.traffic(world.file, { failed: 1 })
    await world.advance(40_000)
    expect(world.reasons()).toContain('auth_invalid')
    await world.forgets()
    expect(world.reasons()).toContain('auth_invalid')

    await world.restarts()
    expect(world.reasons()).toContain('auth_invalid')
  },
)
