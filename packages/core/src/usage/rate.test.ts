import { expect, it } from 'vitest'
import { bandOf, serviceTierOf } from './rate.ts'

it.each([
  { asked: null, answered: null, tier: null },
  { asked: 'auto', answered: null, tier: null },
  { asked: 'standard', answered: '', tier: null },
  { asked: 'default', answered: 'default', tier: null },
  { asked: 'auto', answered: 'priority', tier: 'priority' },
  // The answer counts, also where it is less than what was asked for.
  { asked: 'priority', answered: 'default', tier: null },
  { asked: 'priority', answered: null, tier: 'priority' },
  { asked: 'priority', answered: ' ', tier: 'priority' },
  { asked: ' Fast ', answered: '', tier: 'priority' },
  { asked: 'flex', answered: null, tier: 'flex' },
  { asked: 'auto', answered: 'FLEX', tier: 'flex' },
  { asked: 'ludicrous', answered: null, tier: 'unknown' },
  { asked: 'flex', answered: 'constructor', tier: 'unknown' },
])(
  'asked for $asked and answered with $answered, the tier is $tier',
  ({ asked, answered, tier }) => {
    expect(serviceTierOf(asked, answered)).toBe(tier)
  },
)

it.each([
  [[0, 0, 0], 0],
  [[128_000, 0, 0], 0],
  [[127_999, 1, 1], 1],
  [[0, 200_000, 0], 1],
  [[150_000, 50_000, 1], 2],
  [[72_000, 200_000, 0], 2],
  [[0, 0, 272_001], 3],
] as const)(
  'input of %j tokens is in band %i, whatever comes out',
  ([tokensIn, tokensCached, tokensWritten], band) => {
    const classes = { tokensIn, tokensCached, tokensWritten, tokensOut: 900_000 }
    expect(bandOf(classes)).toBe(band)
  },
)

it('of unknown classes the band is unknown', () => {
  expect([bandOf(null), bandOf(undefined)]).toEqual([null, null])
})
