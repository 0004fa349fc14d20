import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { health } from '../state/live-data.ts'
import { anEntry, change, clearPage, draw, showPool, wordsOf } from '../testing/page.ts'
import { RecentChanges } from './recent-changes.tsx'

afterEach(clearPage)

type Change = NonNullable<typeof health.value>['recentChanges'][number]

function drawChange(details: Partial<Change>) {
  showPool([anEntry('ana')])
  change(() => {
    const now = health.value
    if (now === null) throw new Error('there is no health')
    const recent: Change = {
      kind: 'status',
      id: 'a',
      tone: 'warn',
      title: 'ana@example.com',
      badge: 'Retry after',
      summary: 'Status is Retry after; it was Active.',
      timeText: '19:50',
      ...details,
    }
    health.value = { ...now, recentChanges: [recent] }
  })
  return draw(h(RecentChanges, {}))
}

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
    expect(drawChange({ accountKeys }).querySelector('a')?.attribute('href')).toBe(href)
  })
})
