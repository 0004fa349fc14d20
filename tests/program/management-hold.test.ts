import { type VirtualClock, virtualClock } from '@svc/core/testing'
import { aFakeAccount, fetchOf } from '@svc/fake-proxy'
import type { Health } from '@svc/views'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import {
  MANAGEMENT_KEY,
  type ProxiedService,
  startService,
} from '../../tooling/service/start-service.ts'
import { settle } from '../../tooling/settled.ts'

const MINUTE_MS = 60_000

let running: ProxiedService | null = null

afterEach(async () => {
  await running?.stop()
  running = null
})

async function service(
  key: string,
): Promise<{ readonly live: ProxiedService; readonly clock: VirtualClock }> {
  const clock = virtualClock(settle)
  const live = await startService({
    where: 'here',
    time: clock,
    accounts: [aFakeAccount({ name: 'one' }), aFakeAccount({ name: 'two' })],
    key,
    fetchOf,
  })
  running = live
  return { live, clock }
}

const ofTheKey = ({ actions }: Health) => actions.filter((item) => item.kind === 'auth')

/** What health says of the key a minute later, once it says something, or nothing any more; it is encoded on a thread of its own. */
async function saidOfTheKey(
  live: ProxiedService,
  clock: VirtualClock,
  { count }: { readonly count: number },
): Promise<Health> {
  await clock.advance(MINUTE_MS)
  const read = () => live.json<Health>('/api/v1/health')
  await eventually(
    `${count} actions about the key`,
    async () => ofTheKey(await read()).length === count,
  )
  return await read()
}

describe('a refused management key', () => {
  it('is tried once in two hours, and health says so and what to do', async () => {
    const { live, clock } = await service('wrong-management-key')

    await clock.advance(119 * MINUTE_MS)
    const said = await saidOfTheKey(live, clock, { count: 1 })

    expect(live.fake.stats.refusedRequests).toBe(1)
    expect(live.fake.stats.authenticatedRequests).toBe(0)
    expect(said.state).toBe('bad')
    const [action] = ofTheKey(said)
    expect(action).toMatchObject({ tone: 'bad' })
    expect(`${action?.summary} ${action?.note}`).toMatch(/key/i)
    expect(live.output()).not.toContain('wrong-management-key')
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
    expect(ofTheKey(await saidOfTheKey(live, clock, { count: 0 }))).toEqual([])
  })
})

describe('a ban', () => {
  it('is waited out in silence, said with its end, and over by itself', async () => {
    const { live, clock } = await service(MANAGEMENT_KEY)
    await clock.advance(MINUTE_MS)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await live.fake.app.request('/v0/management/auth-files', {
        headers: { authorization: 'Bearer somebody-elses-mistake' },
      })
    }
    await clock.advance(MINUTE_MS)
    const askedWhenBanned = live.fake.stats.bannedRequests

    const said = await saidOfTheKey(live, clock, { count: 1 })
    await clock.advance(25 * MINUTE_MS)

    expect(askedWhenBanned).toBe(1)
    expect(live.fake.stats.bannedRequests).toBe(1)
    const [action] = ofTheKey(said)
    expect(action).toMatchObject({ tone: 'bad' })
    expect(action?.summary).toMatch(/ban/i)
    expect(`${action?.summary} ${action?.note} ${action?.detail}`).toMatch(/12:3\d/)

    await clock.advance(5 * MINUTE_MS)
    expect(ofTheKey(await saidOfTheKey(live, clock, { count: 0 }))).toEqual([])
  })
})
