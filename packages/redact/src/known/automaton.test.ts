import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAutomaton } from './automaton.ts'

/** Every find as `pattern@end`. */
function findsOf(patterns: readonly string[], text: string, length = text.length): string[] {
  const found: string[] = []
  createAutomaton(patterns).scan(text.slice(0, length), (pattern, end) =>
    found.push(`${patterns[pattern]}@${end}`),
  )
  return found
}

/** The same by looking at every place. */
function expectedIn(patterns: readonly string[], text: string): string[] {
  const lower = (bytes: string) => bytes.replace(/[A-Z]/g, (sign) => sign.toLowerCase())
  return [...new Set(patterns)]
    .filter((pattern) => pattern !== '')
    .flatMap((pattern) =>
      Array.from({ length: text.length + 1 }, (_, end) => end)
        .filter(
          (end) =>
            end >= pattern.length &&
            lower(text.slice(end - pattern.length, end)) === lower(pattern),
        )
        .map((end) => `${pattern}@${end}`),
    )
}

describe('every text is found wherever it ends', () => {
  it('as it is by looking at every place', () => {
    const patterns = fc.uniqueArray(fc.stringMatching(/^[ab\xe9]{1,5}$/), { maxLength: 8 })
    fc.assert(
      fc.property(patterns, fc.stringMatching(/^[aAbc\xe9]{0,40}$/), (texts, text) => {
        expect(findsOf(texts, text).toSorted()).toEqual(expectedIn(texts, text).toSorted())
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    {
      what: 'inside of another',
      patterns: ['kelp', 'el'],
      text: 'kelp',
      finds: ['el@3', 'kelp@4'],
    },
    {
      what: 'at the end of another',
      patterns: ['kelp', 'lp', 'p'],
      text: 'kelp',
      finds: ['kelp@4', 'lp@4', 'p@4'],
    },
    { what: 'overlapping itself', patterns: ['aa'], text: 'aaaa', finds: ['aa@2', 'aa@3', 'aa@4'] },
    {
      what: 'after the beginning of another',
      patterns: ['kelps', 'elm'],
      text: 'kelm',
      finds: ['elm@4'],
    },
    { what: 'in capitals', patterns: ['Kelp'], text: 'KELP kelp', finds: ['Kelp@4', 'Kelp@9'] },
    {
      what: 'with a zero and the highest byte',
      patterns: ['\0\xff'],
      text: 'a\0\xffb',
      finds: ['\0\xff@3'],
    },
  ])('$what', ({ patterns, text, finds }) => {
    expect(findsOf(patterns, text)).toEqual(finds)
  })
})

it('letters beyond ASCII are not the same in capitals, because a byte is not a letter', () => {
  expect(findsOf(['\xe9'], '\xc9')).toEqual([])
})

it('an empty text is found nowhere, and no texts find nothing', () => {
  expect(findsOf(['', 'a'], 'a')).toEqual(['a@1'])
  expect(findsOf([], 'anything')).toEqual([])
})

it('texts that count as equal are all found', () => {
  const found: number[] = []
  createAutomaton(['kelp', 'KELP', 'kel']).scan('kelp', (pattern) => found.push(pattern))

  expect(found.toSorted()).toEqual([0, 1, 2])
})

it('thousands of texts are found, each at its place', () => {
  const texts = Array.from({ length: 5_000 }, (_, index) => `key-${index.toString(36)}-end`)
  const finds = findsOf(texts, texts.join(' '))

  expect(finds.map((find) => find.split('@')[0])).toEqual(texts)
})
