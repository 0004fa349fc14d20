import '../testing/browser.ts'
import { anAccount, aQuotaSample, evidenceOf } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { filter, query, sorting } from '../state/account-search.ts'
import { goTo, route } from '../state/route.ts'
import { smallDocument } from '../testing/browser.ts'
import {
  change,
  clearPage,
  click,
  draw,
  type Entry,
  enter,
  press,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import type { SmallElement } from '../testing/small-document.ts'
import { Accounts } from './accounts.tsx'

const entry = (
  name: string,
  fiveHour: number,
  changes: Parameters<typeof anAccount>[1] = {},
): Entry => [
  anAccount(name, changes),
  evidenceOf([
    aQuotaSample({
      fiveHour,
      week: 60,
      fiveHourResetsInSeconds: 9_000,
      weekResetsInSeconds: 90_000,
    }),
  ]),
]

let place: SmallElement
const names = () => wordsOfEach(place, 'tbody .who').map((text) => text.split('@')[0])
const chip = (label: string) =>
  place.querySelectorAll('.chip').find((each) => wordsOf(each).startsWith(label))
const head = (column: string) => place.querySelector(`thead .${column}`)

beforeEach(() => {
  showPool([
    entry('ana', 90),
    entry('bob', 50),
    entry('cyd', 0),
    entry('dan', 80, { operatorDisabled: true }),
  ])
  place = draw(h(Accounts, { title: 'Accounts' }))
})
afterEach(() => {
  clearPage()
  location.hash = ''
  smallDocument.activeElement = null
  query.value = ''
  filter.value = 'all'
  sorting.value = { column: 'rank', isDescending: false }
})

describe('the table of accounts', () => {
  it('has those that can be used first, then the blocked ones under a line that counts them', () => {
    expect(names()).toEqual(['ana', 'bob', 'cyd', 'dan'])
    expect(wordsOfEach(place, 'td.rank')).toEqual(['1', '2', '–', '–'])
    expect(wordsOf(place.querySelector('tr.group'))).toBe(
      'Blocked, 2. 1 waits for a reset, 1 disabled',
    )
  })

  it('shows of each its plan, its status, its windows and how old the reading is', () => {
    const [ana = '', , cyd = '', dan = ''] = wordsOfEach(place, 'tbody tr:not(.group)')

    expect(ana).toMatch(
      /^1 ana@example\.com Plus Active \d+ 5h 90% 2h 30min W 60% 1d 1h 0 s direct$/,
    )
    expect(cyd).toMatch(
      /^– cyd@example\.com Plus Reset scheduled.* 0 5h 0% 2h 30min W 60% 1d 1h 0 s direct$/,
    )
    expect(dan).toMatch(/^– dan@example\.com Plus Disabled 0 not tracked 0 s direct$/)
  })

  it('says how to add an account where there is none', () => {
    showPool([])

    expect(wordsOf(place.querySelector('.table-box'))).toMatch(/^The proxy has no Codex accounts\./)
  })

  it('filters by a chip, which says how many it lets through', () => {
    expect(wordsOfEach(place, '.chip')).toEqual([
      'All 4',
      'Routable 2',
      'Blocked 2',
      'Reclaim soon 0',
      'Disabled 1',
      'Stale 0',
    ])
    click(chip('Disabled'))

    expect(names()).toEqual(['dan'])
    expect(chip('Disabled')?.attribute('aria-pressed')).toBe('true')
    expect(chip('All')?.attribute('aria-pressed')).toBe('false')
  })

  it('finds by words, and takes the search back in one press where nothing matches', () => {
    enter(place.querySelector('#search'), 'bo')
    expect(names()).toEqual(['bob'])

    enter(place.querySelector('#search'), 'zed')
    expect(wordsOf(place.querySelector('.table-box'))).toBe('No account matches. Clear filters')

    click(place.querySelector('.empty button'))
    expect(names()).toHaveLength(4)
  })

  it('sorts by the head that is pressed, and turns it round at the next press', () => {
    const press5h = () => click(head('five')?.querySelector('button'))
    press5h()
    expect([names(), head('five')?.attribute('aria-sort')]).toEqual([
      ['cyd', 'bob', 'dan', 'ana'],
      'ascending',
    ])

    press5h()
    expect([names(), head('five')?.attribute('aria-sort')]).toEqual([
      ['ana', 'dan', 'bob', 'cyd'],
      'descending',
    ])
    expect(place.querySelectorAll('tr.group')).toHaveLength(0)
    expect(head('rank')?.attribute('aria-sort')).toBe(null)
  })

  it('is sorted from a list where heads cannot be pressed', () => {
    enter(place.querySelector('.sort-choice select'), 'account', 'change')

    expect(sorting.value).toEqual({ column: 'account', isDescending: false })
  })

  it('opens the details beside it, and marks the row they belong to', () => {
    change(() => goTo('#accounts/index-bob'))

    expect(wordsOf(place.querySelector('.drawer'))).toMatch(/^bob@example\.com Plus Active/)
    expect(wordsOf(place.querySelector('tr.selected th'))).toBe('bob@example.com')
    expect(place.querySelector('tr.selected')?.attribute('aria-current')).toBe('true')
  })

  it('shows no details of an account that is not there', () => {
    change(() => goTo('#accounts/nobody'))

    expect(place.querySelectorAll('.drawer')).toHaveLength(0)
  })
})

describe('the keys of the table', () => {
  const focused = () => wordsOf(smallDocument.activeElement)

  it('go down and up through the rows, from the first, and stop at both ends', () => {
    press('k')
    expect(focused()).toBe('ana@example.com')
    press('k')
    expect(focused()).toBe('ana@example.com')
    for (const _ of 'jjjjjj') press('j')

    expect(focused()).toBe('dan@example.com')
    expect(route.value.account).toBe(null)
  })

  it('take the details along once they are open, and close them', () => {
    change(() => goTo('#accounts/index-ana'))
    press('j')
    expect(route.value.account).toBe('index-bob')

    press('Escape')
    expect([route.value.account, focused()]).toEqual([null, 'bob@example.com'])
  })

  it('are letters in a field', () => {
    place.querySelector('#search')?.focus()
    press('j')

    expect(smallDocument.activeElement?.attribute('id')).toBe('search')
  })

  it('leave a table alone that is gone', () => {
    clearPage()
    press('j')

    expect(smallDocument.activeElement).toBe(null)
  })
})
