import { epochMs } from '@svc/core'
import { expect, it } from 'vitest'
import { aBatch, aDetail } from '../testing/stored-usage.ts'
import { interruptedPop, refuseNul, tallyOf } from './usage-batch.ts'

it.each([{ accountKey: 'a\0' }, { apiName: '\0' }, { model: 'm\0m' }, { provider: '\0p' }])(
  'a detail with a NUL in a name is refused, and the others stay: %j',
  (names) => {
    const [bad, good] = [aDetail(1, names), aDetail(2)]
    const known = { reason: 'bad_shape', shape: '7' } as const
    const { details, quarantined } = refuseNul(aBatch([bad, good], { quarantined: [known] }))

    expect(details).toEqual([good])
    expect(quarantined).toEqual([known, { reason: 'bad_name', shape: '{}' }])
  },
)

it('a batch of good names is the same', () => {
  const batch = aBatch([aDetail(1, { apiName: "O'Neil \u{1F600}" })])
  expect(refuseNul(batch)).toBe(batch)
})

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
