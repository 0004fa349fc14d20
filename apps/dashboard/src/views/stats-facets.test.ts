import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { question } from '../state/usage-question.ts'
import { click, draw, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { Facets } from './stats-facets.tsx'

const item = (id: string, tokens: number, more: object = {}) => ({
  id,
  label: id,
  tokens,
  requests: 1_234,
  failed: 0,
  ...more,
})
const many = Array.from({ length: 8 }, (_, index) => item(`m${index}`, 1_000 * (8 - index)))
const facet = (more: object = {}) => ({
  group: 'model',
  title: 'By model',
  items: many,
  otherCount: 0,
  ...more,
})
const show = (facets: readonly object[] | undefined, query: object = {}) => {
  showPool([])
  const now = { query: { metric: 'tokens', group: 'client', ...query }, facets }
  return draw(h(Facets, { now: now as never }))
}

describe('facets', () => {
  it('are the first members of each dimension, with the rest folded', () => {
    const place = show([facet({ otherCount: 3 }), facet({ group: 'account', title: 'By account' })])

    expect(wordsOfEach(place, 'h3')).toEqual(['By model', 'By account'])
    expect(wordsOfEach(place, 'section:first-of-type > ul li')).toEqual([
      'm0 8.0k',
      'm1 7.0k',
      'm2 6.0k',
      'm3 5.0k',
      'm4 4.0k',
      'm5 3.0k',
    ])
    expect(wordsOfEach(place, 'summary')).toEqual(['5 more', '2 more'])
    expect(wordsOfEach(place, 'section:first-of-type details > p')).toEqual(['3 more'])
  })

  it('count only a member whose name is pressed', () => {
    const place = show([facet({ items: many.slice(0, 1) })])
    click(place.querySelector('.only'))

    expect(question.value.filter).toEqual({ model: ['m0'] })
    expect(place.querySelector('details')).toBeNull()
  })

  it('show requests where a member has no value of its own', () => {
    const items = [item('m0', 5, { value: null })]

    expect(wordsOf(show([facet({ items })], { metric: 'latency_p50' }).querySelector('li'))).toBe(
      'm0 1,234',
    )
  })

  it.each([undefined, [], [facet({ items: [] })]])(
    'are nothing where nothing tells them',
    (none) => {
      expect(show(none).childElementCount).toBe(0)
    },
  )
})
