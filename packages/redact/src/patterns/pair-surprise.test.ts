import { expect, it } from 'vitest'
import { characterClasses, pairBits } from './character-classes.ts'
import { CAPITAL_CHANCE, PAIR_SURPRISE } from './pair-surprise.ts'

const { of, edge, count } = characterClasses(['-_', '/.:~', '+='])
const classAt = (pair: string, at: number) => of[pair.charCodeAt(at)] ?? edge
const bitsOf = (pair: string) =>
  pairBits(PAIR_SURPRISE)[classAt(pair, 0) * count + classAt(pair, 1)] ?? 0

it('there is a row and a column for each class, and the chances of each row add up to one', () => {
  expect(PAIR_SURPRISE).toHaveLength(count)
  for (const row of PAIR_SURPRISE) {
    expect(row).toHaveLength(count)
    const sum = pairBits([row]).reduce((chances, bits) => chances + 2 ** -bits, 0)
    // Bits are rounded to quarters.
    expect(Math.abs(sum - 1), row).toBeLessThan(0.08)
  }
})

it.each([
  { common: 'th', rare: 'ht' },
  { common: 'qu', rare: 'qx' },
  { common: 'in', rare: 'zx' },
  { common: '77', rare: '7q' },
])('$rare surprises more than $common', ({ common, rare }) => {
  expect(bitsOf(rare)).toBeGreaterThan(bitsOf(common))
})

it('a capital is rare after a small letter, and more likely after a capital', () => {
  const [afterSmall, afterCapital, ...others] = CAPITAL_CHANCE

  expect(afterSmall).toBeLessThan(afterCapital)
  for (const chance of [afterSmall, afterCapital, ...others]) {
    expect(chance).toBeGreaterThan(0)
    expect(chance).toBeLessThan(1)
  }
})
