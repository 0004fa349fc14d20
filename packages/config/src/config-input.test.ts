import { describe, expect, it } from 'vitest'
import { shownRaw } from './config-input.ts'

describe('a value in a message', () => {
  it.each([
    { raw: 'loud', shown: '"loud"' },
    { raw: 'two\nlines', shown: '"two\\nlines"' },
    { raw: 1.5, shown: '1.5' },
    { raw: false, shown: 'false' },
    { raw: ['a', 1], shown: '["a",1]' },
    // TOML has infinities, JSON does not.
    { raw: Number.POSITIVE_INFINITY, shown: 'Infinity' },
    { raw: Number.NaN, shown: 'NaN' },
  ])('is $shown', ({ raw, shown }) => {
    expect(shownRaw(raw)).toBe(shown)
  })

  it.each([
    { letters: 62, isCut: false },
    { letters: 63, isCut: true },
    { letters: 5000, isCut: true },
  ])('of $letters letters and two quotes is cut: $isCut', ({ letters, isCut }) => {
    const shown = shownRaw('x'.repeat(letters))

    expect(shown.endsWith('…')).toBe(isCut)
    expect(shown.length).toBeLessThanOrEqual(65)
  })
})
