import { aFakeAccount, type FakeGeneration } from '@svc/fake-proxy'
import type { Health } from '@svc/views'
import { describe, expect, it, type TestContext } from 'vitest'
import { eventually, pause } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, longDeadline, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { ownStore } from './own-store.ts'

/** Service seconds in one real second. */
const FACTOR = paceOfBusyMachine(30)
const clock = acceleratedClock({ factor: FACTOR })

/** A service with a store of its own, in front of a proxy of this generation. */
async function service(context: TestContext, generation: FakeGeneration): Promise<ProxiedService> {
  const { path, use } = ownStore(context)
  return use(
    await startService({
      where: 'here',
      time: clock,
      accounts: [aFakeAccount({ name: 'ana' }), aFakeAccount({ name: 'bob' })],
      flags: { ...longDeadline, 'state-db': path },
      prepare(fake) {
        fake.become(generation)
      },
    }),
  )
}
const metric = async (live: ProxiedService, name: string) =>
  Number(
    new RegExp(`^svc_quota_monitor_${name} (\\S+)$`, 'm').exec(
      await (await fetch(`${live.url}/metrics`)).text(),
    )?.[1] ?? Number.NaN,
  )
const health = (live: ProxiedService) => live.json<Health>('/api/v1/health')
const accounts = async (live: ProxiedService) =>
  (await health(live)).sources.find(({ id }) => id === 'accounts')

describe.concurrent('a proxy replaced in place', () => {
  it('from v7 to v8, to v8 without v0, and back loses and doubles no record, and counts no gap', {
    timeout: 180_000,
  }, async (context) => {
    const live = await service(context, 'v7')
    live.fake.settings.queueRetentionSeconds = 3_600
    let sent = 0
    let isOver = false
    const traffic = (async () => {
      while (!isOver) {
        for (const account of live.fake.accounts) {
          live.fake.traffic(account, { success: 3 })
          sent += 3
        }
        await pause(15)
      }
    })()
    for (const generation of ['v8', 'v8-only', 'v8', 'v7', 'v8-only', 'v7'] as const) {
      await pause(90_000 / FACTOR)
      // A proxy that ends loses the records in its memory, whoever reads them.
      while (live.fake.usage.waitingCount() > 0) await pause(1)
      live.fake.become(generation)
      const expected = generation === 'v7' ? 'v0' : 'v8'
      await eventually(
        `the generation ${generation} is known`,
        async () => (await accounts(live))?.generation === expected,
      )
    }
    isOver = true
    await traffic

    await eventually(
      'every record is stored',
      async () => (await metric(live, 'usage_rows_ingested_total')) === sent,
    )
    await pause(30_000 / FACTOR)
    expect(await metric(live, 'usage_rows_ingested_total')).toBe(sent)
    expect(await metric(live, 'usage_gap_seconds_total')).toBe(0)
    expect(live.fake.stats.refusedRequests).toBe(0)
  })
})
