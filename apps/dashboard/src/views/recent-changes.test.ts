import { h } from 'preact'
import { describe, expect, it, vi } from 'vitest'
import { changesAbout } from '../state/display-state.ts'
import type { health } from '../state/live-data.ts'
import {
  anEntry,
  changeHealth,
  click,
  draw,
  elementsOf,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { RecentChanges } from './recent-changes.tsx'

type Change = NonNullable<typeof health.value>['recentChanges'][number]

function drawChanges(...each: readonly Partial<Change>[]) {
  showPool([anEntry('ana')])
  changeHealth(() => {
    const recentChanges = each.map(
      (details, index): Change => ({
        kind: 'status',
        id: String(index),
        tone: 'warn',
        title: 'ana@example.com',
        badge: 'Retry after',
        summary: 'Status is Retry after; it was Active.',
        timeText: '19:50',
        ...details,
      }),
    )
    return { recentChanges }
  })
  return draw(h(RecentChanges, {}))
}
const drawChange = (details: Partial<Change>) => drawChanges(details)

describe('recent changes', () => {
  it('say how often and since when what goes to and fro has changed', () => {
    const words = (details: Partial<Change>) => wordsOf(drawChange(details).querySelector('li'))

    expect(words({})).toBe('19:50 Status is Retry after; it was Active. ana@example.com')
    expect(words({ count: 20, countText: '20 times since 09:45' })).toBe(
      '19:50 Status is Retry after; it was Active. 20 times since 09:45 ana@example.com',
    )
  })

  it.each([
    { sign: 'wait', tone: 'warn', shows: 'wait' },
    { sign: undefined, tone: 'warn', shows: 'warn' },
    { sign: undefined, tone: 'bad', shows: 'bad' },
  ] as const)('mark what is $tone and $sign as $shows', ({ sign, tone, shows }) => {
    const place = drawChange(sign === undefined ? { tone } : { tone, sign })

    expect(place.querySelectorAll(`.icon.tone-${shows}`)).toHaveLength(1)
  })

  it.each([
    { what: 'in the pool', accountKeys: ['key-ana'], href: '#accounts/index-ana' },
    { what: 'that has left', accountKeys: ['gone'], href: undefined },
    { what: 'that is none', accountKeys: [], href: undefined },
  ])('lead to an account $what: $href', ({ accountKeys, href }) => {
    expect(drawChange({ accountKeys }).querySelector('a')?.getAttribute('href')).toBe(href)
  })

  it('are twelve at first, and all of them on demand', () => {
    const rows = (place: HTMLElement) => place.querySelectorAll('li').length
    expect(
      drawChanges(...Array.from({ length: 12 }, () => ({}))).querySelectorAll('.button'),
    ).toHaveLength(0)

    const place = drawChanges(...Array.from({ length: 50 }, () => ({})))
    const button = () => place.querySelector('.button')
    expect([rows(place), wordsOf(button())]).toEqual([12, 'Show 38 more'])
    click(button())
    expect([rows(place), wordsOf(button())]).toEqual([50, 'Show fewer'])
  })

  it('can be looked at by kind, each with its number', () => {
    const kinds = ['status', 'quota', 'plan', 'account', 'source', 'benchmark', 'refresh'] as const
    const place = drawChanges(...kinds.map((kind) => ({ kind, summary: kind })))
    const chips = () => elementsOf(place, '.chip')

    expect(chips().map(wordsOf)).toEqual(['All 7', 'Accounts 3', 'Pool 1', 'Sources 3'])
    const seen = chips().map((_, index) => {
      click(chips()[index])
      return wordsOfEach(place, 'li').map((words) => words.split(' ')[1])
    })
    expect(seen).toEqual([
      kinds,
      ['status', 'quota', 'plan'],
      ['account'],
      ['source', 'benchmark', 'refresh'],
    ])
    expect(chips().map((chip) => chip.getAttribute('aria-pressed'))).toEqual([
      'false',
      'false',
      'false',
      'true',
    ])
  })

  it('are scrolled to where an address asks for those of one account, also where it has none', () => {
    changesAbout.value = 'key-ana'
    const scroll = vi.spyOn(HTMLElement.prototype, 'scrollIntoView')
    const place = drawChanges({ accountKeys: ['gone'] })

    expect(scroll.mock.contexts).toEqual([place.querySelector('.change-list')])
    expect(wordsOf(elementsOf(place, 'option').at(-1) ?? null)).toBe('ana@example.com')
    expect(place.querySelectorAll('li')).toHaveLength(0)
  })
})
