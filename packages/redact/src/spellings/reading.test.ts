import { describe, expect, it } from 'vitest'
import { placeIn, plainReading, type Reading, textOfReading } from './reading.ts'

describe('a plain reading', () => {
  it('is the text itself, byte for byte', () => {
    const text = 'k\x00\xff\n\xe9'

    expect(textOfReading(plainReading(text))).toBe(text)
    expect(placeIn(plainReading(text), 1, 3)).toEqual([1, 3])
  })
})

/** `a\nb` as it reads: the middle byte comes from two. */
const decoded: Reading = {
  bytes: Buffer.from('a\nb and what was left of another text'),
  length: 3,
  placeOf: (index) => [0, 1, 3][index] ?? 4,
  endOf: (index) => [1, 3, 4][index] ?? 4,
}

describe('a part of a reading', () => {
  it.each([
    { what: 'a byte that was not decoded', from: 0, to: 1, place: [0, 1] },
    { what: 'an escape', from: 1, to: 2, place: [1, 3] },
    { what: 'everything', from: 0, to: 3, place: [0, 4] },
    { what: 'nothing', from: 1, to: 1, place: [1, 1] },
  ])('that is $what lies at $place of the text below', ({ from, to, place }) => {
    expect(placeIn(decoded, from, to)).toEqual(place)
  })
})

it('what lies behind the length of a reading is not part of its text', () => {
  expect(textOfReading(decoded)).toBe('a\nb')
})

it('a reading of a part of larger memory is read from where it begins', () => {
  const memory = Buffer.from('before after')
  const reading = { ...plainReading('after'), bytes: memory.subarray(7) }

  expect(textOfReading(reading)).toBe('after')
})
