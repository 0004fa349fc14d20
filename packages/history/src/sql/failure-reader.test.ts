import { epochMs, plusMs } from '@svc/core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, openUsage } from '../open-history.ts'
import { emptyStores } from '../testing/empty-stores.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'

const DAY_MS = 86_400_000
const TODAY = epochMs(Math.floor(NOW / DAY_MS) * DAY_MS)
const failed = (number: number, status: number, code: string, more = {}) =>
  aDetail(number, {
    failed: true,
    provider: 'codex',
    cause: { status, code },
    failure: status === 429 ? 'failedLimit' : 'failedAuth',
    ...more,
  })

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('failures of $engine', ({ whyNot, create }) => {
  beforeEach((context) => {
    if (whyNot !== null) context.skip(whyNot)
  })

  it('are counted by provider, status and code, in whole days, of those asked for', async () => {
    const { location } = await create()
    const history = await openHistory(location)
    const earlier = plusMs(TODAY, -2 * DAY_MS)
    await history
      .usageOf('default')
      .record(
        aBatch([
          failed(1, 429, 'usage_limit_reached'),
          failed(2, 429, 'usage_limit_reached'),
          failed(3, 401, 'token_revoked', { provider: 'claude', at: earlier }),
          failed(4, 401, 'token_revoked', { provider: 'claude', at: plusMs(earlier, -DAY_MS) }),
          aDetail(5, { provider: 'codex' }),
        ]),
      )
    await history.close()
    const usage = await openUsage({ location, retentionDays: 90 })
    const between = { from: plusMs(earlier, 5), to: NOW }
    const ask = (filter: object) => usage.failures({ between, filter }, NOW)
    const all = await ask({})
    const [codex, limits, nobody] = [
      await ask({ provider: ['codex'] }),
      await ask({ status: ['limit'] }),
      await ask({ account: ['nobody'] }),
    ]
    await usage.close()

    expect(all).toEqual({
      span: { from: earlier, to: NOW },
      failed: 3,
      ofRequests: 4,
      since: plusMs(earlier, -DAY_MS),
      causes: [
        {
          ...{ provider: 'codex', status: 429, code: 'usage_limit_reached' },
          ...{ requests: 2, accounts: 2, firstDay: TODAY, lastDay: TODAY },
        },
        {
          ...{ provider: 'claude', status: 401, code: 'token_revoked' },
          ...{ requests: 1, accounts: 1, firstDay: earlier, lastDay: earlier },
        },
      ],
    })
    expect(codex).toMatchObject({ failed: 2, ofRequests: 3 })
    expect(limits).toMatchObject({ failed: 2, ofRequests: 4, causes: [{ status: 429 }] })
    expect(nobody).toMatchObject({ failed: 0, ofRequests: 0, causes: [] })
  })
})
