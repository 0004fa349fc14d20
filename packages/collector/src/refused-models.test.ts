import { NOW } from '@svc/core/testing'
import { aFakeAccount, type FakeAccount, fakeWindows } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import {
  aWorld,
  endWorlds,
  evaluatedIn,
  MINUTE,
  percentsIn,
  stateIn,
} from './testing/live-world.ts'
import { anIngestedUsage, aRecordingSink } from './testing/usage-equipment.ts'
import { type AccountDirectory, noAccounts } from './usage/account-directory.ts'
import { decodeQueue } from './usage/usage-decoder.ts'

afterEach(endWorlds)

const POLL = 31_000

/** A pool whose records are read and whose vendors are not asked. */
function aRecordedWorld(file: FakeAccount) {
  let directory: AccountDirectory = noAccounts
  const sink = {
    ...aRecordingSink({
      ingest(answer) {
        const decoded = decodeQueue(Buffer.from(answer), {
          directory,
          receivedAt: world.clock.now(),
        })
        return decoded === null ? null : anIngestedUsage({ activity: decoded.activity })
      },
    }),
    now: () => world?.clock.now() ?? NOW,
    useAccounts(next: AccountDirectory) {
      directory = next
    },
  }
  const options = { quota: { quotaProbeProviders: [] } }
  const world: ReturnType<typeof aWorld> = aWorld({ accounts: [file], options, sink })
  sink.becomeReady()
  return world
}

describe('a limit of some models', () => {
  it('of Claude neither rests the account nor hides in its windows', async () => {
    const file = aFakeAccount({
      name: 'claude',
      provider: 'claude',
      windows: fakeWindows({ '5h': 20, week: 40, 'premium:week': 100 }),
    })
    const world = aRecordedWorld(file)
    await world.clock.advance(POLL)
    world.fake.traffic(file, { success: 1, model: 'claude-haiku-4-5' })
    world.fake.traffic(file, { failed: 1, model: 'claude-fable-5' })
    await world.clock.advance(POLL)

    expect(percentsIn(world, file)).toMatchObject({ 'premium:week': 0 })
    expect(stateIn(world, file).slice(1)).toEqual([])
    world.fake.traffic(file, { success: 1, model: 'claude-haiku-4-5' })
    await world.clock.advance(20 * MINUTE)
    expect(percentsIn(world, file)).toMatchObject({ 'premium:week': 0 })
    expect(stateIn(world, file).slice(1)).toEqual([])
  })

  it('of Claude itself rests it until its reset', async () => {
    const file = aFakeAccount({
      name: 'claude',
      provider: 'claude',
      windows: fakeWindows({ '5h': { used: 100, resetsInSeconds: 3_600 }, week: 40 }),
    })
    const world = aRecordedWorld(file)
    await world.clock.advance(POLL)
    world.fake.traffic(file, { failed: 1 })
    await world.clock.advance(POLL)

    expect(stateIn(world, file)[0]).toBe('reset_scheduled')
    expect(percentsIn(world, file)).toMatchObject({ '5h': 0 })
  })

  it('of a pool at Google is a window used up, although nobody asks about it', async () => {
    const file = aFakeAccount({
      name: 'anti',
      provider: 'antigravity',
      windows: fakeWindows({
        'gemini:5h': { used: 100, resetsInSeconds: 3_600 },
        'gemini:week': 40,
        '3p:5h': 10,
        '3p:week': 10,
      }),
    })
    const world = aRecordedWorld(file)
    await world.clock.advance(POLL)
    world.fake.traffic(file, { failed: 1, model: 'gemini-3-flash' })
    world.fake.traffic(file, { success: 1, model: 'claude-opus-4-6' })
    await world.clock.advance(POLL)

    expect(evaluatedIn(world, file).scopedWindows).toMatchObject([
      { id: 'gemini:5h', state: 'exhausted', origin: 'error-body', models: ['gemini-3-flash'] },
    ])
    expect(stateIn(world, file).slice(1)).toEqual([])
    expect(world.callsOf(file)).toBe(0)
  })
})
