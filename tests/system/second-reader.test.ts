import { aFakeAccount } from '@svc/fake-proxy'
import type { Health, StatsTab } from '@svc/views'
import { describe, expect, it, type TestContext } from 'vitest'
import { seededRandom } from '../../tooling/bench/goals.ts'
import { eventually } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, longDeadline, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { ownStore } from './own-store.ts'

/** Service seconds in one real second. */
const FACTOR = paceOfBusyMachine(30)
const clock = acceleratedClock({ factor: FACTOR })
/** On a store of its own. Tests run side by side, since they do little but wait. */
async function service(context: TestContext): Promise<ProxiedService> {
  const { path, use } = ownStore(context)
  const live = use(
    await startService({
      where: 'here',
      time: clock,
      accounts: [aFakeAccount({ name: 'ana' }), aFakeAccount({ name: 'bob' })],
      flags: { ...longDeadline, 'state-db': path },
    }),
  )
  live.fake.settings.queueRetentionSeconds = 3_600
  await eventually('the queue is read', () => live.fake.usage.answerCount() > 0)
  return live
}
const history = async (live: ProxiedService) => (await live.json<StatsTab>('/api/v1/stats')).history
const metric = async (live: ProxiedService, name: string) =>
  Number(
    new RegExp(`^svc_quota_monitor_${name} (\\S+)$`, 'm').exec(
      await (await fetch(`${live.url}/metrics`)).text(),
    )?.[1] ?? Number.NaN,
  )
const isSuspected = async (live: ProxiedService) =>
  (await live.json<Health>('/api/v1/health')).actions.some(({ code }) => code === 'usage_rival')
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe.concurrent('a second reader of the queue', () => {
  it.for([0.1, 0.6, 1])(
    'that takes %d of all: what is stored and what is missing are all requests there were',
    { timeout: 180_000 },
    async (share, context) => {
      const live = await service(context)
      const random = seededRandom(1 + share * 10)
      let requests = 0
      let taken = 0
      const samples: boolean[] = []
      // As many on a busy machine as on an idle one, so that the share of the loss is the same.
      for (let round = 0; round < 200; round += 1) {
        const burst = 1 + Math.floor(random() * 6)
        for (let index = 0; index < burst; index += 1) {
          const account = live.fake.accounts[index % live.fake.accounts.length]
          if (account !== undefined)
            live.fake.traffic(account, random() < 0.1 ? { failed: 1 } : { success: 1 })
          requests += 1
          if (random() < share) taken += live.fake.usage.take(1, clock.now(), 3_600).length
        }
        if (samples.length > 0 || (await isSuspected(live))) samples.push(await isSuspected(live))
        await pause(20)
      }
      const handedOut = async () =>
        (await metric(live, 'usage_rows_ingested_total')) +
        (await metric(live, 'usage_rows_missing_total'))
      await eventually(
        'every request is accounted for',
        async () => (await handedOut()) === requests,
      )
      expect(await metric(live, 'usage_rows_missing_total')).toBe(taken)
      expect(await metric(live, 'usage_gap_seconds_total')).toBeGreaterThan(0)
      await eventually('the payload tells it', async () => {
        const { missing, coveragePercent } = await history(live)
        return missing === taken && coveragePercent !== null && coveragePercent < 100
      })
      await eventually('the action shows', () => isSuspected(live))
      expect(new Set(samples), 'once shown it stays').toEqual(
        samples.length === 0 ? new Set() : new Set([true]),
      )
    },
  )

  it('is suspected until ten minutes have passed without a loss', async (context) => {
    const live = await service(context)
    const [ana] = live.fake.accounts
    if (ana === undefined) return
    for (let round = 0; round < 3; round += 1) {
      live.fake.traffic(ana, { success: 10 })
      live.fake.usage.take(10, clock.now(), 3_600)
      await eventually(
        'it is counted',
        async () => (await metric(live, 'usage_rows_missing_total')) === 10 * (round + 1),
      )
    }
    const countedAt = clock.now()
    await eventually('the action shows', () => isSuspected(live))
    await eventually('the action goes', async () => !(await isSuspected(live)))
    expect((clock.now() - countedAt) / 1000).toBeGreaterThan(9 * 60)
  })

  it('nobody is suspected when an answer was lost on its way', async (context) => {
    const live = await service(context)
    const [ana] = live.fake.accounts
    if (ana === undefined) return
    live.fake.failNext('usage-queue', { kind: 'reset' })
    live.fake.traffic(ana, { success: 30 })
    await eventually(
      'they are counted',
      async () => (await metric(live, 'usage_rows_missing_total')) === 30,
    )
    await pause(90_000 / FACTOR)
    expect(await isSuspected(live)).toBe(false)
  })

  it('a proxy that hands out the same records for ever is asked no more often than one that is empty', async (context) => {
    const live = await service(context)
    const same = JSON.stringify(
      Array.from({ length: 500 }, (_, index) => ({
        timestamp: new Date(clock.now()).toISOString(),
        model: `m${index}`,
        auth_index: 'x',
        tokens: {},
      })),
    )
    live.fake.setFault('usage-queue', {
      kind: 'status',
      status: 200,
      body: same,
      headers: { 'content-type': 'application/json' },
    })
    await eventually(
      'they are stored',
      async () => (await metric(live, 'usage_rows_ingested_total')) === 500,
    )
    const asked = () => live.fake.stats.requestsByRoute['usage-queue']
    const before = asked()
    const from = clock.now()
    await pause(120_000 / FACTOR)
    const perMinute = (asked() - before) / ((clock.now() - from) / 60_000)
    expect(perMinute).toBeLessThan(20)
  })
})
