import { expect, it } from 'vitest'
import { characterClasses, pairBits } from './character-classes.ts'
import {
  PRINTED_CAPITAL_CHANCE,
  PRINTED_PAIR_SURPRISE,
  PRINTED_SIGNS,
} from './printed-pair-surprise.ts'

const { of, edge, count } = characterClasses([...PRINTED_SIGNS])
const classAt = (pair: string, at: number) => of[pair.charCodeAt(at)] ?? edge
const bitsOf = (pair: string) =>
  pairBits(PRINTED_PAIR_SURPRISE)[classAt(pair, 0) * count + classAt(pair, 1)] ?? 0

it('there is a row and a column for each class, and the chances of each row add up to one', () => {
  expect(PRINTED_PAIR_SURPRISE).toHaveLength(count)
  for (const row of PRINTED_PAIR_SURPRISE) {
    expect(row).toHaveLength(count)
    const sum = pairBits([row]).reduce((chances, bits) => chances + 2 ** -bits, 0)
    // Bits are rounded to quarters.
    expect(Math.abs(sum - 1), row).toBeLessThan(0.08)
  }
})

it('the signs are everything that is printed but blanks, quotes, backslashes, letters and digits', () => {
  const printed = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))

  expect([...PRINTED_SIGNS].toSorted().join('')).toBe(
    printed.filter((sign) => /[^A-Za-z0-9 "'`\\]/.test(sign)).join(''),
  )
})

it.each([
  { common: '==', rare: '=^' },
  { common: ':/', rare: ':^' },
  { common: '--', rare: '-;' },
  { common: '&&', rare: '&%' },
  { common: '})', rare: 'q)' },
])('$rare surprises more than $common', ({ common, rare }) => {
  expect(bitsOf(rare)).toBeGreaterThan(bitsOf(common))
})

it('a capital is rare after a small letter, and likely after a capital', () => {
  const [afterSmall, afterCapital, ...others] = PRINTED_CAPITAL_CHANCE

  expect(afterSmall).toBeLessThan(0.1)
  expect(afterCapital).toBeGreaterThan(0.5)
  for (const chance of others) {
    expect(chance).toBeGreaterThan(afterSmall)
    expect(chance).toBeLessThan(afterCapital)
  }
})
