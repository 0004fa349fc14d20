import { afterEach, describe, expect, it } from 'vitest'
import { aWorld, endWorlds, MINUTE, managementRequests } from './testing/live-world.ts'

afterEach(endWorlds)

/** A proxy that has another key than the monitor. */
async function refusedWorld() {
  const world = aWorld()
  const right = world.fake.settings.managementKey
  world.fake.settings.managementKey = 'another'
  await world.clock.advance(1_000)
  const setRight = () => {
    world.fake.settings.managementKey = right
  }
  return { ...world, world, setRight }
}

describe('a refresh that is asked for while the proxy refuses the key', () => {
  it('tries the key, and asks about every account once the proxy takes it', async () => {
    const { source, latest, clock, setRight } = await refusedWorld()
    expect(latest().management).toMatchObject({ kind: 'refused' })
    setRight()
    await clock.advance(5 * MINUTE)
    expect(latest().management).toMatchObject({ kind: 'refused' })

    const run = source.refresher.begin({ scope: 'default' })
    await clock.advance(1_000)
    expect(await run.ended).toBeNull()
    expect(run.tally()).toEqual({ queued: 1, done: 1, failed: 0 })
    expect(latest()).toMatchObject({
      management: { kind: 'accepted' },
      sources: { accounts: { outcome: { kind: 'ok' } } },
    })
  })

  it('says why nothing was asked while the key is still refused, and never leads to a ban', async () => {
    const { world, source, latest, clock } = await refusedWorld()
    const ends: unknown[] = []
    for (let press = 0; press < 6; press += 1) {
      const { ended } = source.refresher.begin({ scope: 'default' })
      await clock.advance(1_000)
      ends.push(await ended)
    }

    expect(ends).toEqual(Array(6).fill('unauthorized'))
    // The one at the start, and two that were asked for.
    expect(managementRequests(world)).toBe(3)
    expect(latest().management).toMatchObject({ kind: 'refused' })
  })
})
