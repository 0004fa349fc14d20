import { DAY_MS, HOUR_MS, plusMs } from '@svc/core'
import { NOW, virtualClock } from '@svc/core/testing'
import type { UsageSeries } from '@svc/core/usage'
import { expect, it } from 'vitest'
import { unpricedShare } from '../answers/history-questions.ts'
import { createUnpricedWatch } from './price-watch.ts'

const MINUTE_MS = 60_000

it('looks a minute after the prices were read, then every hour', async () => {
  const clock = virtualClock(() => new Promise((resolve) => setImmediate(resolve)))
  const shares: (number | null)[] = []
  const watch = createUnpricedWatch({
    clock,
    shareAt: async () => {
      const share = shares.shift()
      if (share === undefined) throw new Error('not readable')
      return share
    },
  })
  await clock.advance(DAY_MS)
  expect(watch.latest()).toBeNull()

  shares.push(0.2, 0.3)
  const firstAt = plusMs(NOW, DAY_MS + MINUTE_MS)
  watch.pricesRead()
  await clock.advance(MINUTE_MS)
  expect(watch.latest()).toEqual({ share: 0.2, since: firstAt, seenAt: firstAt })

  const second = { share: 0.3, since: firstAt, seenAt: plusMs(firstAt, HOUR_MS) }
  await clock.advance(HOUR_MS)
  expect(watch.latest()).toEqual(second)
  await clock.advance(HOUR_MS)
  expect(watch.latest()).toEqual(second)

  shares.push(0.05)
  await clock.advance(HOUR_MS)
  expect(watch.latest()).toBeNull()
  watch.stop()
  expect(clock.scheduledCount).toBe(0)
})

const COST = { units: 0n, unpricedTokens: 30, assumedTokens: 0 }

it.each([
  ['the part without a price', { tokens: 120, cost: COST }, {}, 0.25],
  ['nothing without usage', { tokens: 0 }, {}, null],
  ['nothing without prices', { tokens: 120 }, { isPriced: false }, null],
])('tells %s', async (_what, totals, changes, share) => {
  const answer = { totals, isPriced: true, refused: null, ...changes } as UsageSeries
  expect(await unpricedShare({ series: async () => answer }, NOW)).toBe(share)
})
