import { epochMs } from '@svc/core'
import { expect, it } from 'vitest'
import { aBatch, aDetail } from '../testing/stored-usage.ts'
import { interruptedPop, tallyOf } from './usage-tally.ts'

it('what was neither stored nor too late was there already', () => {
  const quarantined = [{ reason: 'bad_shape', shape: '{}' } as const]
  const batch = aBatch(
    [1, 2, 3, 4, 5].map((number) => aDetail(number)),
    { quarantined },
  )

  expect(tallyOf(batch, { stored: 2, expired: 1 })).toEqual({
    seen: 6,
    stored: 2,
    duplicate: 2,
    quarantined: 1,
    expired: 1,
  })
})

it.each([
  { lastPollAt: epochMs(3), from: 3 },
  { lastPollAt: null, from: 9 },
])('a pop that was interrupted lost what came since $lastPollAt', ({ lastPollAt, from }) => {
  expect(interruptedPop(epochMs(9), lastPollAt)).toEqual({
    from,
    to: 9,
    reason: 'stopped_before_commit',
  })
})
