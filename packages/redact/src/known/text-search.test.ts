import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTextSearch } from './text-search.ts'

/** Every find as `text@start`. */
function findsOf(texts: readonly string[], text: string): string[] {
  const found: string[] = []
  const search = createTextSearch(new Map(texts.map((part) => [part, part])))
  search(text, (part, start) => found.push(`${part}@${start}`))
  return found
}

describe('every text is found wherever it begins', () => {
  it('as it is by looking at every place', () => {
    const texts = fc.uniqueArray(fc.stringMatching(/^[abİı]{4,7}$/), { maxLength: 8 })
    fc.assert(
      fc.property(texts, fc.stringMatching(/^[aAbcİı]{0,40}$/), (parts, text) => {
        const expected = parts.flatMap((part) =>
          Array.from({ length: text.length }, (_, start) => start)
            .filter((start) => text.startsWith(part, start))
            .map((start) => `${part}@${start}`),
        )
        expect(findsOf(parts, text).toSorted()).toEqual(expected.toSorted())
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 1_000 : 200 },
    )
  })

  it.each([
    { what: 'inside of another', texts: ['a kelp', 'kelp'], finds: ['a kelp@0', 'kelp@2'] },
    {
      what: 'at the beginning of another',
      texts: ['a ke', 'a kelp'],
      finds: ['a kelp@0', 'a ke@0'],
    },
    { what: 'overlapping itself', texts: ['oooo'], finds: ['oooo@7', 'oooo@8'] },
    { what: 'after the beginning of another', texts: ['kelps', 'lp o'], finds: ['lp o@4'] },
    { what: 'at the end', texts: ['ooo\0\xff', 'o\0\xff.'], finds: ['ooo\0\xff@9'] },
  ])('$what', ({ texts, finds }) => {
    expect(findsOf(texts, 'a kelp ooooo\0\xff')).toEqual(finds)
  })
})

it('no texts find nothing', () => {
  expect(findsOf([], 'anything')).toEqual([])
})

it('thousands of texts are found, each at its place', () => {
  const texts = Array.from({ length: 5_000 }, (_, index) => `key-${index.toString(36)}-end`)

  expect(findsOf(texts, texts.join(' ')).map((find) => find.split('@')[0])).toEqual(texts)
})
