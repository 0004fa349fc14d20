import { aFakeAccount, type FakeAccount } from '@svc/fake-proxy'
import type { RecommendationItem, Recommendations } from '@svc/views'
import { describe, expect, it, type TestContext } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, longDeadline } from '../../tooling/test-instant.ts'

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
})
