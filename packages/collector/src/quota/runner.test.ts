import { aFakeAccount } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { aWorld, endWorlds, MINUTE } from '../testing/live-world.ts'

afterEach(endWorlds)

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
    expect(world.latest().sources.accounts.lastGood?.value.accounts[0]?.title).toBe(
      'bob@example.com',
    )
  })
})
