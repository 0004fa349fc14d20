import { aFakeAccount } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { aWorld, endWorlds, HOUR, MINUTE } from '../testing/live-world.ts'

afterEach(endWorlds)

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
