import { rmSync, writeFileSync } from 'node:fs'
import type { ProxySourceId } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { fakeRoutes, livePool } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import {
  aSecretFile,
  aWorld,
  endWorlds,
  KEY,
  MINUTE,
  managementRequests,
  type World,
} from './testing/live-world.ts'
import { anIngestedUsage, aRecordingSink } from './testing/usage-equipment.ts'

afterEach(endWorlds)

/** A proxy whose key differs from the monitor's. */
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
    // The call at the start, and two on request.
    expect(managementRequests(world)).toBe(3)
    expect(latest().management).toMatchObject({ kind: 'refused' })
  })
})

const WRONG = 'another'

/** A way in which the right key becomes wrong for some seconds and then right again. */
interface Way {
  /** The key comes from a file; left out: from the environment, so that only the proxy can change it. */
  readonly file?: true
  readonly goWrong: (world: World, keyFile: string) => void
  readonly setRight: (world: World, keyFile: string) => void
}

const proxyTakesAnother = ({ fake }: World) => {
  fake.settings.managementKey = WRONG
}
const proxyTakesOurs = ({ fake }: World) => {
  fake.settings.managementKey = KEY
}

const ways: Readonly<Record<string, Way>> = {
  'its file is changed': {
    file: true,
    goWrong: (_, file) => writeFileSync(file, WRONG),
    setRight: (_, file) => writeFileSync(file, KEY),
  },
  'its file is back': {
    file: true,
    goWrong: (_, file) => rmSync(file),
    setRight: (_, file) => writeFileSync(file, KEY, { mode: 0o600 }),
  },
  'its file is changed and a SIGHUP follows': {
    file: true,
    goWrong: (_, file) => writeFileSync(file, WRONG),
    setRight({ source }, file) {
      writeFileSync(file, KEY)
      source.reload()
    },
  },
  'the proxy has it again and a SIGHUP follows': {
    goWrong: proxyTakesAnother,
    setRight(world) {
      proxyTakesOurs(world)
      world.source.reload()
    },
  },
  'the proxy has it again and somebody refreshes': {
    goWrong: proxyTakesAnother,
    setRight(world) {
      proxyTakesOurs(world)
      world.source.refresher.begin({ scope: 'default' })
    },
  },
  'the proxy has it again after a restart': {
    goWrong: proxyTakesAnother,
    setRight(world) {
      proxyTakesOurs(world)
      for (const route of fakeRoutes) world.fake.setFault(route, { kind: 'drop' })
      void world.clock.schedule(MINUTE, () => {
        for (const route of fakeRoutes) world.fake.setFault(route, null)
      })
    },
  },
  'the proxy has it again and the hold ends': {
    goWrong: proxyTakesAnother,
    setRight: proxyTakesOurs,
  },
  'a ban ends': {
    goWrong({ fake }) {
      for (let attempt = 0; attempt < 5; attempt += 1)
        void fake.app.request('/v0/management/auth-files', {
          headers: { authorization: `Bearer ${WRONG}` },
        })
    },
    setRight: () => undefined,
  },
}
/** Longest wait, for ways the monitor is not notified of. */
const waitsMs: Readonly<Record<string, number>> = {
  'the proxy has it again and the hold ends': 151 * MINUTE,
  'a ban ends': 31 * MINUTE,
}

const usages =
  process.env.TEST_SIZE === 'full' ? (['queue', 'legacy'] as const) : (['queue'] as const)

describe.each(Object.entries(ways))('a key that is right again because %s', (name, way) => {
  it.each(usages)(
    'wakes every source behind it within a minute, usage of the %s among them',
    async (usage) => {
      const keyFile = aSecretFile(KEY)
      const sink = aRecordingSink({ ingest: () => anIngestedUsage() })
      const world = aWorld({
        accounts: livePool(4, NOW),
        sink,
        options:
          way.file === undefined
            ? {}
            : { upstream: { managementKey: null, managementKeyFile: keyFile } },
      })
      world.fake.settings.usage = usage
      await world.clock.advance(2 * MINUTE)
      const behindKey = () => {
        const { accounts, usage_statistics, usage, direct_quota } = world.latest().sources
        return { accounts, usage_statistics, usage, direct_quota } satisfies Partial<
          Record<ProxySourceId, unknown>
        >
      }
      const answering = () =>
        Object.entries(behindKey()).flatMap(([id, { outcome }]) =>
          outcome.kind === 'ok' ? [id] : [],
        )
      const all = ['accounts', 'usage_statistics', 'usage', 'direct_quota']
      expect(answering()).toEqual(all)

      way.goWrong(world, keyFile)
      await world.clock.advance(12 * MINUTE)
      expect(answering()).not.toContain('usage')
      expect(answering()).not.toContain('accounts')
      way.setRight(world, keyFile)
      await world.clock.advance(waitsMs[name] ?? 2 * MINUTE)
      const storedBefore = sink.calls.length
      await world.clock.advance(2 * MINUTE)

      expect(answering()).toEqual(all)
      expect(sink.calls.length).toBeGreaterThan(storedBefore)
      expect(world.fake.stats.bannedRequests).toBeLessThanOrEqual(1)
    },
  )
})
