import { describe, expect, it } from 'vitest'
import { filter, query } from './account-filters.ts'
import { addressQuery, parameters, takeQuery } from './address-parameters.ts'
import { privacy, STATS_DEFAULTS, statsControls, theme } from './display-state.ts'

describe('what an address says', () => {
  it.each([
    { view: 'accounts', text: '?f=blocked' },
    { view: 'accounts', text: '?s=week' },
    { view: 'accounts', text: '?q=ana&f=stale&s=-account' },
    { view: 'accounts', text: '?plan=pro&status=wait&by=cooldown&s=-rank&group=plan' },
    { view: 'accounts', text: '?q=x&f=needs&plan=pro&by=quota_exhausted_week&paid=soon' },
    { view: 'accounts', text: '?q=%C3%BC+%26+%3F%23%2F%25' },
    { view: 'resets', text: '?5h=24&week=24' },
    { view: 'stats', text: '?range=7d&metric=requests&group=model&top=3&mode=rate&smooth=1' },
    { view: 'stats', text: '?range=all&top=20' },
    { view: 'health', text: '?theme=dark&privacy=1' },
    { view: 'accounts', text: '?s=upstream' },
    { view: 'overview', text: '?upstream=tokyo-2' },
    { view: 'health', text: '?kind=pool&about=0123456789abcdef' },
  ])('of $view in "$text" is what the page then says in its own address', ({ view, text }) => {
    takeQuery(view, text)

    expect(addressQuery(view)).toBe(text)
  })

  it('is nothing where everything is as by default', () => {
    expect(['overview', 'accounts', 'resets', 'stats', 'health'].map(addressQuery)).toEqual([
      '',
      '',
      '',
      '',
      '',
    ])
  })

  it.each([
    { view: 'accounts', text: '?f=all&s=rank&q=' },
    { view: 'resets', text: '?5h=6&week=168' },
    { view: 'stats', text: '?range=24h&metric=tokens&top=8' },
    { view: 'overview', text: '?theme=system' },
    { view: 'overview', text: '?upstream=Not%20a%20name' },
  ])('is said no further where it is the default: "$text"', ({ view, text }) => {
    takeQuery(view, text)

    expect(addressQuery(view)).toBe('')
  })

  it.each([
    { view: 'accounts', text: '?f=constructor&s=gone&q=' },
    { view: 'accounts', text: '?s=--rank' },
    { view: 'accounts', text: '?group=status&paid=nonsense' },
    { view: 'resets', text: '?5h=7&week=-24' },
    { view: 'stats', text: '?range=8d&metric=constructor&group=&top=0&mode=x&smooth=yes' },
    { view: 'stats', text: '?top=21' },
    { view: 'stats', text: '?top=1e1' },
    { view: 'overview', text: '?theme=pink&privacy=0&f=blocked&unknown=1' },
    { view: 'health', text: '?kind=gone&about=' },
    { view: 'nowhere', text: '?f=blocked' },
  ])('is ignored where it means nothing: "$text"', ({ view, text }) => {
    takeQuery(view, text)

    expect(addressQuery(view)).toBe('')
    expect(filter.value).toBe('all')
  })

  it('has each name once in a view', () => {
    const names = parameters.map(({ view, name }) => `${view ?? 'every view'} ${name}`)

    expect(new Set(names).size).toBe(names.length)
    const ofEvery = parameters.filter(({ view }) => view === null)
    for (const { name } of ofEvery)
      expect(parameters.filter((other) => other.name === name)).toHaveLength(1)
  })
})

describe('what an address does not say', () => {
  it('is as by default', () => {
    takeQuery('accounts', '?f=blocked&q=ana')
    takeQuery('accounts', '?s=week')

    expect([filter.value, query.value]).toEqual(['all', ''])
  })

  it('stays as it is where it belongs to another view', () => {
    takeQuery('accounts', '?f=blocked')
    takeQuery('resets', '?5h=24')

    expect(filter.value).toBe('blocked')
  })

  it('stays as this browser keeps it: theme, privacy, and a chart of which it says nothing', () => {
    takeQuery('stats', '?theme=dark&privacy=1&range=7d')
    takeQuery('stats', '')

    expect([theme.value, privacy.value, statsControls.value.range]).toEqual(['dark', true, '7d'])
  })

  it('is as by default in a chart of which it says something else', () => {
    takeQuery('stats', '?range=7d&metric=requests')
    takeQuery('stats', '?range=1h')

    expect(statsControls.value).toEqual({ ...STATS_DEFAULTS, range: '1h' })
  })
})
