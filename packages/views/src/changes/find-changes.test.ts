import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changed, countedOn } from './apply-changes.ts'
import { changeOf } from './find-changes.ts'

/** The value after a round trip through JSON. */
const sent = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

const row = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  score: fc.integer({ min: 0, max: 3 }),
  parts: fc.array(fc.record({ slug: fc.constantFrom('x', 'y'), points: fc.nat(2) }), {
    maxLength: 3,
  }),
})
const document = fc.record({
  rows: fc.array(row, { maxLength: 8 }),
  texts: fc.array(fc.constantFrom('one', 'two'), { maxLength: 3 }),
  any: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }),
})

describe('the changes between two documents', () => {
  it('make the second of the first, whatever was added, removed, moved and changed', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        const change = changeOf(before, after)
        expect(change === null ? before : changed(before, sent(change))).toEqual(after)
      }),
    )
  })

  it('make any JSON of any other', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const change = changeOf(before, after)
        expect(change === null ? before : changed(before, sent(change))).toEqual(sent(after))
      }),
    )
  })

  it('leave out what the seconds between them make of it anyway', () => {
    const age = fc.record({ ageSeconds: fc.nat(40), resetsInSeconds: fc.option(fc.nat(40)) })
    const aged = fc.record({ rows: fc.array(age, { maxLength: 3 }), own: age })
    fc.assert(
      fc.property(aged, aged, fc.integer({ min: -50, max: 50 }), (before, after, seconds) => {
        const change = changeOf(before, after, seconds)
        const later = countedOn(before, seconds)
        expect(change === null ? later : changed(later, sent(change))).toEqual(after)
        expect(changeOf(before, countedOn(before, seconds), seconds)).toBeNull()
      }),
    )
  })

  it.each([
    { what: 'nothing', before: { a: [1] }, after: { a: [1] }, change: null },
    {
      what: 'a value, and none where it says the same',
      before: { a: 1, b: null },
      after: { a: null, b: null },
      change: { a: [null] },
    },
    {
      what: 'members that come and go',
      before: { old: 1 },
      after: { new: 2 },
      change: { old: [], new: [2] },
    },
    {
      what: 'a member that is undefined, which JSON leaves out',
      before: { a: undefined, b: 1 },
      after: { a: undefined, b: undefined },
      change: { b: [] },
    },
    {
      what: 'rows in another order, by their names',
      before: [
        { id: 'a', n: 1 },
        { id: 'b', n: 1 },
        { id: 'c', n: 1 },
      ],
      after: [
        { id: 'c', n: 1 },
        { id: 'a', n: 1 },
        { id: 'b', n: 2 },
      ],
      change: {
        from: [
          [2, 1],
          [0, 2],
        ],
        2: { n: [2] },
      },
    },
    {
      what: 'a row that is new, and one that is gone',
      before: [{ id: 'a' }, { id: 'b' }],
      after: [{ id: 'b' }, { id: 'c' }],
      change: {
        from: [
          [1, 1],
          [-1, 1],
        ],
        1: [{ id: 'c' }],
      },
    },
    {
      what: 'rows that share a name, in their order',
      before: [
        { id: 'a', n: 1 },
        { id: 'a', n: 2 },
      ],
      after: [
        { id: 'a', n: 1 },
        { id: 'a', n: 3 },
      ],
      change: { 1: { n: [3] } },
    },
    {
      what: 'a list that is empty now',
      before: { a: [1, 2] },
      after: { a: [] },
      change: { a: { from: [] } },
    },
  ])('name $what', ({ before, after, change }) => {
    expect(changeOf(before, after)).toEqual(change)
  })
})

describe('a list of texts', () => {
  const texts = Array.from({ length: 40 }, (_, index) => `account-${index}`)

  it('that is long says what has come and gone, not what has moved for that', () => {
    const after = ['new', ...texts.slice(0, 20), ...texts.slice(21)]
    const change = changeOf(texts, after)

    expect(change).toEqual({
      0: ['new'],
      from: [
        [-1, 1],
        [0, 20],
        [21, 19],
      ],
    })
    expect(changed(texts, change ?? [])).toEqual(after)
  })

  it('that is short says what stands where', () => {
    expect(changeOf(['a', 'b'], ['a', 'c'])).toEqual({ 1: ['c'] })
  })
})
