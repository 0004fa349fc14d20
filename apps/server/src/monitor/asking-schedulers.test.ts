import { DAY_MS, epochMs, plusMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { createAskingSchedulers } from './asking-schedulers.ts'

it('the last question of each proxy counts, for a day', () => {
  let now = NOW
  const schedulers = createAskingSchedulers({ now: () => now })
  expect(schedulers.until(now)).toEqual({})

  schedulers.asked('0.1.0', null)
  now = plusMs(NOW, 2_000)
  schedulers.asked('0.1.0', 'tokyo')
  now = plusMs(NOW, 4_000)
  schedulers.asked('0.2.0', null)

  expect(schedulers.until(now)).toEqual({
    schedulers: [
      { version: '0.2.0', askedAt: now },
      { upstream: 'tokyo', version: '0.1.0', askedAt: NOW + 2_000 },
    ],
  })
  expect(schedulers.until(epochMs(NOW + 2_000 + DAY_MS)).schedulers).toHaveLength(1)
  expect(schedulers.until(epochMs(NOW + 4_000 + DAY_MS))).toEqual({})
})
