import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesAmong, stretchesOf } from './stretches.ts'

const AMONG = 'ab7'
const among = bytesAmong(AMONG)
const text = fc.stringMatching(/^[ab7 .\xff]{0,60}$/)

it('every stretch of these bytes that is long enough is found, as an expression finds it', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (written, lengthMin) => {
      const expected = [...written.matchAll(new RegExp(`[${AMONG}]{${lengthMin},}`, 'g'))]

      expect(stretchesOf(written, among, lengthMin)).toEqual(
        expected.map(({ 0: run, index }) => ({ start: index, end: index + run.length })),
      )
    }),
    { numRuns: 1_000 },
  )
})

it.each([
  { what: 'at both ends of the text', text: 'aba.bab', stretches: ['aba', 'bab'] },
  { what: 'of the least length alone', text: 'ab.aba.ab', stretches: ['aba'] },
  { what: 'over the whole text', text: 'ab7ab7ab7', stretches: ['ab7ab7ab7'] },
  { what: 'nowhere in an empty text', text: '', stretches: [] },
])('stretches lie $what', ({ text, stretches }) => {
  expect(stretchesOf(text, among, 3).map(({ start, end }) => text.slice(start, end))).toEqual(
    stretches,
  )
})
