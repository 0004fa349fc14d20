import { aFakeAccount, type FakeAccount } from '@svc/fake-proxy'
import type { Health, RecommendationItem, Recommendations } from '@svc/views'
import { describe, expect, it, type TestContext } from 'vitest'
import { acceleratedClock, longDeadline } from '../../tooling/accelerated-clock.ts'
import { eventually } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'

/** Service seconds in one real second. A busy machine keeps up, because the deadline is long. */
const FACTOR = 20

/** Tests run side by side, since they do little but wait. */
async function service(
  { onTestFinished }: TestContext,
  accounts: readonly FakeAccount[],
): Promise<ProxiedService> {
  const live = await startService({
    where: 'here',
    time: acceleratedClock({ factor: FACTOR }),
    accounts,
    flags: longDeadline,
  })
  onTestFinished(async () => void (await live.stop()))
  return live
}

const recommendations = (live: ProxiedService) =>
  live.json<Recommendations>('/api/v1/recommendations')
const itemOf = async (
  live: ProxiedService,
  email: string,
): Promise<RecommendationItem | undefined> =>
  (await recommendations(live)).items.find((item) => item.title.startsWith(email))
const fiveHourPercent = (item: RecommendationItem | undefined) =>
  item?.quotaWindows.find((window) => window.id === '5h')?.percent

describe.concurrent('quota over real sockets', () => {
  it('shows a quota that moved at the vendor within the planned interval', async (context) => {
    const live = await service(context, [aFakeAccount({ name: 'mover' })])
    const [account] = live.fake.accounts
    if (account === undefined) throw new Error('the fake has no account')
    await eventually(
      'a first sample',
      async () => typeof fiveHourPercent(await itemOf(live, 'mover')) === 'number',
    )
    const before = fiveHourPercent(await itemOf(live, 'mover'))

    live.fake.setVendor(account, 'exhausted_5h')

    await eventually(
      'the new percent',
      async () => fiveHourPercent(await itemOf(live, 'mover')) === 0,
    )
    expect(before).not.toBe(0)
  })

  it('never uses the token of a disabled account', async (context) => {
    const live = await service(context, [
      aFakeAccount({ name: 'off', disabled: true }),
      aFakeAccount({ name: 'on' }),
    ])

    await eventually('the enabled one is queried twice', () => live.fake.vendorCalls.length >= 2)

    expect(new Set(live.fake.vendorCalls.map((call) => call.token))).toEqual(
      new Set(['fake-at-on']),
    )
  })

  it('blocks nobody over a Cloudflare page that answers our own query', async (context) => {
    const live = await service(context, [
      aFakeAccount({ name: 'clouded', vendor: 'cloudflare_challenge' }),
    ])

    await eventually('two blocked queries', () => live.fake.vendorCalls.length >= 2)
    await eventually('it is listed', async () => (await itemOf(live, 'clouded')) !== undefined)

    expect((await itemOf(live, 'clouded'))?.routingBlockedReasons).toEqual([])
  })

  it('condemns nobody over a 401 for an index that has just vanished, and does over one that stays', async (context) => {
    const live = await service(context, [
      aFakeAccount({ name: 'moved' }),
      aFakeAccount({ name: 'dead', vendor: 'token_invalidated' }),
    ])
    await eventually(
      'the dead login is condemned',
      async () =>
        (await itemOf(live, 'dead'))?.routingBlockedReasons.includes('auth_invalid') === true,
    )
    const moved = live.fake.accounts.find((account) => account.email.startsWith('moved'))
    if (moved === undefined) throw new Error('the fake lost an account')
    live.fake.setFault('auth-files', { kind: 'status', status: 500 })

    live.fake.rename(moved, 'codex-moved-elsewhere.json')
    await eventually('a query with the old index', () =>
      live.fake.vendorCalls.some((call) => call.token === '$TOKEN$'),
    )
    live.fake.setFault('auth-files', null)

    await eventually(
      'the new name',
      async () => (await itemOf(live, 'moved'))?.selector.authName === 'codex-moved-elsewhere.json',
    )
    expect((await itemOf(live, 'moved'))?.routingBlockedReasons).toEqual([])
    const { actions } = await live.json<Health>('/api/v1/health')
    expect(actions.filter((action) => action.summary.includes('moved@'))).toEqual([])
  })
})
