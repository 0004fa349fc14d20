import { expect, it } from 'vitest'
import { aBatch, aDetail } from '../testing/stored-usage.ts'
import { refuseNul } from './refused-names.ts'

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
