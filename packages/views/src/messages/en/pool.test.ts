import { describe, expect, it } from 'vitest'
import { pool } from './pool.ts'

describe('what is left of the pool', () => {
  it.each([
    { held: null, unknown: null, isLowerBound: false, text: '16.1 of 41 Plus usable' },
    {
      held: '0.9',
      unknown: '3.0',
      isLowerBound: false,
      text: '16.1 of 41 Plus usable, 0.9 held, 3.0 unknown',
    },
    {
      held: null,
      unknown: '3.0',
      isLowerBound: false,
      text: '16.1 of 41 Plus usable, 3.0 unknown',
    },
    {
      held: null,
      unknown: '9.0',
      isLowerBound: true,
      text: 'At least 16.1 of 41 Plus usable, 9.0 unknown',
    },
  ])('is bounded by what is unknown: $text', ({ text, ...bounds }) => {
    expect(pool.left({ usable: '16.1', tracked: '41', unit: 'Plus', ...bounds })).toBe(text)
  })
})

describe('the first round', () => {
  it.each([
    { toReadCount: 1, doneAt: null, text: 'Reading 0 of 1 account' },
    { toReadCount: 1_204, doneAt: '20:41', text: 'Reading 0 of 1,204 accounts, done about 20:41' },
  ])('says how far it is: $text', ({ text, ...round }) => {
    expect(pool.firstRound({ readCount: 0, ...round })).toBe(text)
  })
})
