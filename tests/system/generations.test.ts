import { aFakeAccount, type FakeGeneration } from '@svc/fake-proxy'
import type { Health } from '@svc/views'
import { describe, expect, it, type TestContext } from 'vitest'
import { eventually, pause } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, longDeadline, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { contractErrors } from '../contract.ts'
import { ownStore } from './own-store.ts'

/** Service seconds in one real second. */
const FACTOR = paceOfBusyMachine(30)
const clock = acceleratedClock({ factor: FACTOR })

/** A service with a store of its own, in front of a proxy of this generation. */
async function service(
  context: TestContext,
  generation: FakeGeneration,
  prepare: (fake: ProxiedService['fake']) => void = () => undefined,
): Promise<ProxiedService> {
  const { path, use } = ownStore(context)
  return use(
    await startService({
      where: 'here',
      time: clock,
      accounts: [aFakeAccount({ name: 'ana' }), aFakeAccount({ name: 'bob' })],
      flags: { ...longDeadline, 'state-db': path },
      prepare(fake) {
        fake.become(generation)
        prepare(fake)
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
const pathsOf = ({ fake }: ProxiedService, from = 0) =>
  fake.requests.slice(from).map(({ path }) => path)

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

describe.concurrent('a proxy', () => {
  it('of v8 alone works whole, and nothing asks it by v0', async (context) => {
    const live = await service(context, 'v8-only', ({ settings }) => {
      settings.usageStatisticsEnabled = false
      settings.queueRetentionSeconds = 10
    })
    await eventually('its codes are shown', async () => {
      const codes = (await health(live)).actions.map(({ code }) => code)
      return ['usage_statistics_off', 'usage_retention_short'].every((one) => codes.includes(one))
    })
    await eventually('the vendor is asked', () => live.fake.vendorCalls.length >= 2)
    const answer = await health(live)
    expect(contractErrors('/api/v1/health', answer)).toEqual([])
    expect(answer.actions.map(({ note }) => note).join()).toContain(
      'Set observability.usage.usage-statistics-enabled: true',
    )
    expect(answer.actions.map(({ note }) => note).join()).toContain(
      'observability.usage.redis-usage-queue-retention-seconds',
    )
    expect(pathsOf(live).filter((path) => path.startsWith('/v0/'))).toEqual([])
  })

  it.for(['v6', 'v7', 'v8', 'v8-only'] as const)(
    'of %s refuses a wrong key once, and is then left alone',
    async (generation, context) => {
      const live = await service(context, generation, ({ settings }) => {
        settings.managementKey = 'another-key-0001'
      })
      await eventually('the refusal is shown', async () =>
        (await health(live)).actions.some(({ code }) => code === 'management_key_refused'),
      )
      await pause(120_000 / FACTOR)

      expect(live.fake.stats.refusedRequests).toBe(1)
      expect(live.fake.gate.failuresOpen()).toBe(1)
    },
  )
})

describe.concurrent('a Home', () => {
  it('is told in words, without an action that would be wrong', async (context) => {
    const live = await service(context, 'home', ({ settings }) => {
      settings.usageStatisticsEnabled = false
    })
    await eventually('it is recognised', async () => (await accounts(live))?.badge === 'Home')
    await pause(400_000 / FACTOR)

    const { actions, sources } = await health(live)
    expect(actions.map(({ code }) => code)).toEqual(
      expect.not.arrayContaining([
        'usage_statistics_off',
        'usage_failing',
        'management_key_refused',
      ]),
    )
    expect(sources.find(({ id }) => id === 'accounts')).toMatchObject({
      summary: expect.stringContaining('CLIProxyAPI Home'),
      note: expect.stringContaining('node'),
    })
    expect(live.fake.usage.answerCount()).toBe(0)
  })
})
