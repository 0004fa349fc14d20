import { aFakeAccount, fakeWindows } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { aWorld, endWorlds, MINUTE, percentsIn, type World } from './testing/live-world.ts'

afterEach(endWorlds)

const POLL = 16_000
/** Asks no vendor: all that is known comes from the list. */
const LIST_ALONE = { quota: { quotaProbeProviders: [] } } as const

const claude = (windows: Parameters<typeof fakeWindows>[0]) =>
  aFakeAccount({ name: 'claude', provider: 'claude', windows: fakeWindows(windows) })

describe('a proxy whose list has the last quota headers', () => {
  it('shows the quota of an account that nobody asks about, window by window', async () => {
    const file = claude({ '5h': 20, week: 40, 'premium:week': 100 })
    const world = aWorld({ accounts: [file], options: LIST_ALONE })
    world.fake.settings.quotaSignals = true
    await world.clock.advance(POLL)
    expect(percentsIn(world, file)).toMatchObject({ '5h': null, week: null })

    world.fake.traffic(file, { failed: 1, model: 'claude-fable-5' })
    await world.clock.advance(POLL)
    world.fake.traffic(file, { success: 1, model: 'claude-haiku-4-5' })
    await world.clock.advance(POLL)

    const percents = percentsIn(world, file)
    expect(percents['premium:week']).toBe(0)
    expect(percents['5h']).toBeGreaterThan(70)
    expect(world.callsOf(file)).toBe(0)
  })
})

describe('a plugin that offers quota', () => {
  const opencode = (name: string, supportsQuota = true) =>
    aFakeAccount({
      name,
      provider: 'opencode-go',
      supportsQuota,
      vendorPlan: 'OpenCode Go',
      windows: fakeWindows({ week: 38 }),
    })
  const fetches = (world: World) =>
    world.fake.requests.filter(({ path }) => path.endsWith('/quota/fetch')).length

  it('is asked through the proxy, once in ten minutes and account, whatever the setting names', async () => {
    const [asked, silent] = [opencode('asked'), opencode('silent', false)]
    const world = aWorld({ accounts: [asked, silent], options: LIST_ALONE })
    world.fake.settings.quotaFetch = true
    await world.clock.advance(6 * MINUTE)

    expect(percentsIn(world, asked)).toMatchObject({ week: 62 })
    expect(world.evidenceOf(asked)?.samples[0]?.plan).toBe('OpenCode Go')
    expect(world.evidenceOf(silent)).toBeUndefined()
    expect(fetches(world)).toBe(1)
    world.source.refresher.begin({ scope: 'default' })
    await world.clock.advance(54 * MINUTE)
    expect(fetches(world)).toBeGreaterThanOrEqual(5)
    expect(fetches(world)).toBeLessThanOrEqual(7)
    expect(world.fake.vendorCalls).toEqual([])
    expect(world.latest().queriedProviders).toEqual(new Set(['opencode-go']))
  })

  it('that answers for no account is left alone for an hour', async () => {
    const file = opencode('alice')
    const world = aWorld({ accounts: [file], options: LIST_ALONE })
    world.fake.settings.quotaFetch = true
    file.supportsQuota = false
    file.entryOverrides = { supports_quota: true }
    await world.clock.advance(59 * MINUTE)

    expect(fetches(world)).toBe(1)
    expect(world.evidenceOf(file)?.probeFailure).toMatchObject({
      kind: 'unavailable',
      httpStatus: 501,
    })
    world.fake.write(file)
    file.supportsQuota = true
    await world.clock.advance(10 * MINUTE)
    expect(percentsIn(world, file)).toMatchObject({ week: 62 })
    expect(fetches(world)).toBe(2)
  })

  it('that fails says nothing about the proxy or other accounts', async () => {
    const [broken, well] = [opencode('broken'), opencode('well')]
    const world = aWorld({ accounts: [broken, well], options: LIST_ALONE })
    world.fake.settings.quotaFetch = true
    world.fake.setVendor(broken, 'server_error')
    await world.clock.advance(6 * MINUTE)

    expect(world.evidenceOf(broken)?.probeFailure).toMatchObject({
      kind: 'failed',
      httpStatus: 502,
    })
    expect(percentsIn(world, well)).toMatchObject({ week: 62 })
    expect(world.latest().sources.direct_quota.outcome.kind).toBe('ok')
  })

  it('is not asked where the proxy is not', async () => {
    const file = opencode('alice')
    const world = aWorld({
      accounts: [file],
      options: { quota: { quotaTransport: 'auth-files', authDir: '/nowhere' } },
    })
    world.fake.settings.quotaFetch = true
    await world.clock.advance(60 * MINUTE)

    expect(fetches(world)).toBe(0)
    expect(world.latest().queriedProviders?.has('opencode-go')).toBe(false)
  })
})
