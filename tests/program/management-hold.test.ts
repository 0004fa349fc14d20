import { aFakeAccount, fetchOf } from '@svc/collector/testing'
import { type VirtualClock, virtualClock } from '@svc/core/testing'
import type { Health } from '@svc/views'
import { afterEach, describe, expect, it } from 'vitest'
import { type LiveService, MANAGEMENT_KEY, startLiveService } from '../../tooling/live-service.ts'

const MINUTE_MS = 60_000

let running: LiveService | null = null

afterEach(async () => {
  await running?.stop()
  running = null
})

/** Lets everything that is under way in this process finish: the fake answers in it, and gzip runs on a thread. */
async function settle(): Promise<void> {
  for (let round = 0; round < 6; round += 1) await new Promise((resolve) => setImmediate(resolve))
}

async function service(key: string): Promise<{ readonly live: LiveService; readonly clock: VirtualClock }> {
  const clock = virtualClock(settle)
  const live = await startLiveService({ clock, accounts: [aFakeAccount({ name: 'one' }), aFakeAccount({ name: 'two' })], key, fetchOf })
  running = live
  return { live, clock }
}

/** Health as it reads once the evaluation of the last minute has been published. */
async function health(live: LiveService, clock: VirtualClock): Promise<Health> {
  await clock.advance(MINUTE_MS)
  await new Promise((resolve) => setTimeout(resolve, 50))
  return live.json<Health>('/api/v1/health')
}

describe('a refused management key', () => {
  it('is tried once in two hours, and health says so and what to do', async () => {
    const { live, clock } = await service('wrong-management-key')

    await clock.advance(119 * MINUTE_MS)
    const said = await health(live, clock)

    expect(live.fake.stats.refusedRequests).toBe(1)
    expect(live.fake.stats.authenticatedRequests).toBe(0)
    expect(said.state).toBe('bad')
    const action = said.actions.find((item) => item.kind === 'auth')
    expect(action).toMatchObject({ tone: 'bad' })
    expect(`${action?.summary} ${action?.note}`).toMatch(/key/i)
    expect(live.log()).not.toContain('wrong-management-key')
  })

  it('is tried again after 150 min and on reload, and never bans the address', async () => {
    const { live, clock } = await service('wrong-management-key')

    await clock.advance(151 * MINUTE_MS)
    expect(live.fake.stats.refusedRequests).toBe(2)
    live.fake.settings.managementKey = 'wrong-management-key'
    live.reload()
    await clock.advance(MINUTE_MS)

    expect(live.fake.stats.bannedRequests).toBe(0)
    expect(live.fake.stats.authenticatedRequests).toBeGreaterThan(0)
    expect((await health(live, clock)).actions.filter((item) => item.kind === 'auth')).toEqual([])
  })
})

describe('a ban', () => {
  it('is waited out in silence, said with its end, and over by itself', async () => {
    const { live, clock } = await service(MANAGEMENT_KEY)
    await clock.advance(MINUTE_MS)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await live.fake.app.request('/v0/management/auth-files', { headers: { authorization: 'Bearer somebody-elses-mistake' } })
    }
    await clock.advance(MINUTE_MS)
    const askedWhenBanned = live.fake.stats.bannedRequests

    const said = await health(live, clock)
    await clock.advance(25 * MINUTE_MS)

    expect(askedWhenBanned).toBe(1)
    expect(live.fake.stats.bannedRequests).toBe(1)
    const action = said.actions.find((item) => item.kind === 'auth')
    expect(action).toMatchObject({ tone: 'bad' })
    expect(action?.summary).toMatch(/ban/i)
    expect(`${action?.summary} ${action?.note} ${action?.detail}`).toMatch(/12:3\d/)

    await clock.advance(5 * MINUTE_MS)
    expect((await health(live, clock)).actions.filter((item) => item.kind === 'auth')).toEqual([])
  })
})
