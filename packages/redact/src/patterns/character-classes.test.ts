import { describe, expect, it } from 'vitest'
import { characterClasses, DIGIT_CLASS, pairBits } from './character-classes.ts'

describe('the class of a byte', () => {
  const { of, edge, count } = characterClasses(['-_', '/.'])
  const classOf = (sign: string) => of[sign.charCodeAt(0)]

  it('is that of the letter, whatever its case', () => {
    for (const [index, letter] of [...'abcdefghijklmnopqrstuvwxyz'].entries()) {
      expect(classOf(letter)).toBe(index)
      expect(classOf(letter.toUpperCase())).toBe(index)
    }
  })

  it('is one for all digits', () => {
    expect([...'0123456789'].map(classOf)).toEqual(Array.from({ length: 10 }, () => DIGIT_CLASS))
  })

  it('is one for the signs of a group, and another for each group', () => {
    expect([...'-_/.'].map(classOf)).toEqual([27, 27, 28, 28])
  })

  it('is that of an edge for everything else', () => {
    for (const sign of ['@', '[', '`', '{', ':', ' ', '\n', '\0', '\xe9', '\xff'])
      expect(classOf(sign), JSON.stringify(sign)).toBe(edge)
  })

  it('numbers the edge last, so that a table of pairs has a row and a column for each class', () => {
    expect(edge).toBe(29)
    expect(count).toBe(30)
    expect(Math.max(...of)).toBe(edge)
  })
})

it('a table is read row by row, in quarters of a bit above the digit zero', () => {
  expect([...pairBits(['048', 'D01'])]).toEqual([0, 1, 2, 5, 0, 0.25])
})
