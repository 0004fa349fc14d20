import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { draw, elementsOf, wordsOf, wordsOfEach } from '../testing/page.ts'
import { BarKey, CapacityBar, Legend, type Parts, WindowBar } from './bars.tsx'

const parts = (changes: Partial<Parts>): Parts => ({
  usable: 2,
  stale: 0,
  held: 0,
  unknown: 0,
  tracked: 4,
  ...changes,
})

/** The drawn parts of the large bar: kind, start and width. */
const drawnOf = (changes: Partial<Parts>) =>
  elementsOf(draw(h(CapacityBar, parts(changes))), 'rect').map(
    (rect) =>
      `${rect.getAttribute('class')} ${rect.getAttribute('x') ?? '0'}+${rect.getAttribute('width')}`,
  )

describe('the large bar', () => {
  it.each([
    { what: 'what is measured', changes: {}, drawn: ['known 0+50.00%'] },
    {
      what: 'old readings behind it',
      changes: { usable: 3, stale: 1 },
      drawn: ['known 0+50.00%', 'stale 50.00%+25.00%'],
    },
    {
      what: 'the unknown behind both',
      changes: { usable: 3, stale: 1, unknown: 0.5 },
      drawn: ['known 0+50.00%', 'stale 50.00%+25.00%', 'unknown 75.00%+12.50%'],
    },
    {
      what: 'what blocked accounts hold behind what can be used',
      changes: { usable: 2.5, stale: 0.5, held: 1, unknown: 0.5 },
      drawn: [
        'known 0+50.00%',
        'stale 50.00%+12.50%',
        'held 62.50%+25.00%',
        'unknown 87.50%+12.50%',
      ],
    },
    {
      what: 'nothing of what is used up',
      changes: { usable: 0 },
      drawn: ['known 0+0.00%'],
    },
  ])('shows $what', ({ changes, drawn }) => {
    expect(drawnOf(changes)).toEqual(['track 0+100%', ...drawn])
  })

  it('says in words what it shows, for a reader who does not see it', () => {
    const bar = draw(h(CapacityBar, parts({ usable: 3, stale: 1, unknown: 0.5 }))).querySelector(
      'svg',
    )

    expect([bar?.getAttribute('role'), bar?.getAttribute('aria-label')]).toEqual([
      'img',
      '3.0 of 4 Plus usable: 2.0 measured, 1.0 stale, 0.5 unknown',
    ])
  })

  it.each([
    { held: 0.2, signs: 1 },
    { held: 0.19, signs: 0 },
  ])('has a clock on the $held of 4 units that blocked accounts hold: $signs', (each) => {
    expect(elementsOf(draw(h(CapacityBar, parts({ held: each.held }))), '.sign')).toHaveLength(
      each.signs,
    )
  })

  it('has a key for the parts that are there, and for no other', () => {
    expect(wordsOf(draw(h(BarKey, parts({}))))).toBe('2.0 measured')
    expect(wordsOf(draw(h(BarKey, parts({ usable: 3, stale: 1, unknown: 0.5 }))))).toBe(
      '2.0 measured 1.0 stale 0.5 unknown',
    )
    expect(wordsOf(draw(h(BarKey, parts({ held: 1 }))))).toBe('2.0 measured 1.0 held')
    expect(wordsOf(draw(h(BarKey, parts({ usable: 0 }))))).toBe('0.0 measured')
  })
})

describe('the bar of a window', () => {
  it.each([
    { state: 'known', stale: false, drawn: 'rect.known' },
    { state: 'known', stale: true, drawn: 'rect.stale' },
    { state: 'unknown', stale: false, drawn: '.dashed rect.unknown' },
    { state: 'exhausted', stale: false, drawn: '.used-up line' },
  ] as const)('that is $state, stale: $stale, is drawn as $drawn', ({ state, stale, drawn }) => {
    const bar = draw(h(WindowBar, { window: { state, stale, percent: 30 } }))

    expect(bar.querySelectorAll(drawn)).toHaveLength(1)
    expect(bar.querySelector('svg')?.getAttribute('aria-hidden')).toBe('true')
  })

  it('is an empty place where the plan has no such window', () => {
    const bar = draw(h(WindowBar, { window: { state: 'absent', stale: false, percent: null } }))

    expect(bar.querySelectorAll('svg')).toHaveLength(0)
    expect(bar.querySelectorAll('span.bar')).toHaveLength(1)
  })

  it('is explained: each kind has its word in the legend', () => {
    expect(wordsOfEach(draw(h(Legend, {})), 'li')).toEqual([
      'measured',
      'stale',
      'unknown',
      'used up',
    ])
  })
})
