import { describe, expect, it } from 'vitest'
import { CAPITAL_CHANCE, PAIR_SURPRISE, SIGNS } from './pair-surprise.ts'
import { marked, mostSurprising, writtenBits } from './surprise.ts'

describe('the table of pairs', () => {
  it('has a row and a column for each letter, a digit, each sign and the end of a run, whose chances add up to one', () => {
    expect(PAIR_SURPRISE).toHaveLength(26 + 1 + SIGNS.length + 1)
    for (const row of PAIR_SURPRISE) {
      expect(row).toHaveLength(PAIR_SURPRISE.length)
      const sum = [...row].reduce((chances, at) => chances + 2 ** -((at.charCodeAt(0) - 48) / 4), 0)
      // Bits are rounded to quarters.
      expect(Math.abs(sum - 1), row).toBeLessThan(0.08)
    }
  })

  it('has every sign that is printed but blanks, quotes and backslashes', () => {
    const printed = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))

    expect([...SIGNS].toSorted().join('')).toBe(
      printed.filter((sign) => /[^A-Za-z0-9 "'`\\]/.test(sign)).join(''),
    )
  })

  it('knows a capital as rare after a small letter, and likely after a capital', () => {
    const [afterSmall, afterCapital, ...others] = CAPITAL_CHANCE

    expect([afterSmall < 0.1, afterCapital > 0.5]).toEqual([true, true])
    for (const chance of others) {
      expect(chance).toBeGreaterThan(afterSmall)
      expect(chance).toBeLessThan(afterCapital)
    }
  })
})

it.each([
  { common: 'th', rare: 'ht' },
  { common: 'qu', rare: 'qx' },
  { common: 'in', rare: 'zx' },
  { common: '77', rare: '7q' },
  { common: '==', rare: '=^' },
  { common: ':/', rare: ':^' },
  { common: '--', rare: '-;' },
  { common: '&&', rare: '&%' },
])('$rare takes more bits than $common', ({ common, rare }) => {
  expect(writtenBits(rare)).toBeGreaterThan(writtenBits(common))
})

it('no text takes no bits, and the case of letters makes no difference', () => {
  expect(writtenBits('')).toBe(0)
  expect(writtenBits('Word')).toBe(writtenBits('word'))
})

describe('the most surprising stretch', () => {
  const of = (run: string, { neutral = null as Uint8Array | null, lengthMin = 1 } = {}) =>
    mostSurprising(run, { randomBits: 6, neutral, lengthMin })

  it('is what was drawn between written words', () => {
    const { start, end, bits } = of('configuration=zQ7xK2vW9jX4.configuration')

    expect('configuration=zQ7xK2vW9jX4.configuration'.slice(start, end)).toContain('Q7xK2vW9jX')
    expect(bits).toBeGreaterThan(10)
    expect(of('configuration').bits).toBeLessThan(5)
  })

  it('is none where the surprising part is shorter than asked for, or neutral', () => {
    const run = 'configuration=zQ7xK2vW9jX4.configuration'

    expect(of(run, { lengthMin: 30 }).bits).toBeLessThan(of(run).bits)
    expect(of(run, { neutral: marked(run, /zQ\w+/g) }).bits).toBeLessThan(5)
  })

  it('weighs a name in capitals alone as one in small letters', () => {
    expect(of('MANAGEMENT_PASSWORD').bits).toBe(of('management_password').bits)
  })
})

it('marks every match, and says null where there is none', () => {
  expect([...(marked('ab12cd3', /\d+/g) ?? [])]).toEqual([0, 0, 1, 1, 0, 0, 1])
  expect(marked('abc', /\d+/g)).toBeNull()
})
