import { h } from 'preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { sorting } from '../state/account-filters.ts'
import { health } from '../state/live-data.ts'
import { goTo } from '../state/route.ts'
import { fourAccounts } from '../testing/four-accounts.ts'
import {
  change,
  click,
  draw,
  elementsOf,
  enter,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { Accounts } from './accounts.tsx'

let place: HTMLElement
const names = () => wordsOfEach(place, 'tbody .who').map((text) => text.split('@')[0])
const chip = (label: string) =>
  elementsOf(place, '.chip').find((each) => wordsOf(each).startsWith(label))

beforeEach(() => {
  showPool(fourAccounts())
  place = draw(h(Accounts, { title: 'Accounts' }))
})

describe('the filters of the accounts', () => {
  it('filters by a chip, which says how many it lets through', () => {
    expect(wordsOfEach(place, '.chip')).toEqual([
      'All 4',
      'Routable 2',
      'Blocked 2',
      'Expires soon 0',
      'Disabled 1',
      'Stale 0',
      'Needs you 0',
    ])
    click(chip('Disabled'))

    expect(names()).toEqual(['dan'])
    expect(chip('Disabled')?.getAttribute('aria-pressed')).toBe('true')
    expect(chip('All')?.getAttribute('aria-pressed')).toBe('false')
    click(chip('Disabled'))

    expect(names()).toHaveLength(4)
    expect(chip('All')?.getAttribute('aria-pressed')).toBe('true')
  })

  it('has no count of those in need before health is known', () => {
    change(() => {
      health.value = null
    })

    expect(wordsOf(chip('Needs you') ?? null)).toBe('Needs you')
    expect(wordsOf(chip('Stale') ?? null)).toBe('Stale 0')
  })

  it('presses "All" only while nothing narrows the table, and takes every choice back by it', () => {
    change(() => goTo('#accounts?by=quota_exhausted_5h&q=c'))
    expect(names()).toEqual(['cyd'])
    expect(chip('All')?.getAttribute('aria-pressed')).toBe('false')
    click(chip('All'))

    expect(chip('All')?.getAttribute('aria-pressed')).toBe('true')
    expect(location.hash).toBe('#accounts?q=c')
  })

  it('has a button that clears the search, while there is one', () => {
    const clear = () => place.querySelector('.search button')
    expect(clear()).toBeNull()
    enter(place.querySelector('#search'), 'bo')
    click(clear())

    expect(names()).toHaveLength(4)
    expect(clear()).toBeNull()
  })

  it('finds by words, and takes the search back in one press where nothing matches', () => {
    enter(place.querySelector('#search'), 'bo')
    expect(names()).toEqual(['bob'])

    enter(place.querySelector('#search'), 'zed')
    expect(wordsOf(place.querySelector('.table-box'))).toBe('No account matches. Clear filters')

    click(place.querySelector('.empty button'))
    expect(names()).toHaveLength(4)
  })

  it('has its choices behind one button, which says how many are set', () => {
    const button = () => place.querySelector('.filters-button')
    const filters = place.querySelector(`#${button()?.getAttribute('aria-controls')}`)
    expect([wordsOf(button()), button()?.getAttribute('aria-expanded')]).toEqual([
      'Filters',
      'false',
    ])
    expect(filters?.querySelectorAll('select').length).toBeGreaterThan(1)
    expect(place.querySelectorAll('.filters.open')).toHaveLength(0)

    click(button())
    click(chip('Blocked'))
    enter(place.querySelector('select[aria-label="Status"]'), 'wait', 'change')
    // The set choice stays in sight while the others are behind the button again.
    expect(place.querySelectorAll('select.set')).toHaveLength(1)
    expect([wordsOf(button()), button()?.getAttribute('aria-expanded')]).toEqual([
      'Filters (2)',
      'true',
    ])
    expect(place.querySelectorAll('.filters.open')).toHaveLength(1)
  })

  it('narrows the table by choices of its own, and names one that no account has', () => {
    const choose = (label: string, value: string) =>
      enter(place.querySelector(`select[aria-label="${label}"]`), value, 'change')
    choose('Status', 'wait')
    expect(names()).toEqual(['cyd'])

    change(() => goTo('#accounts?status=bad'))
    expect(wordsOf(place.querySelector('.table-box'))).toBe('No account matches. Clear filters')
    expect(wordsOfEach(place, 'select[aria-label="Status"] option')[1]).toBe('bad (0)')

    choose('Status', '')
    expect(names()).toHaveLength(4)
  })

  it('is sorted from a list where heads cannot be pressed', () => {
    enter(place.querySelector('.sort-choice select'), 'account', 'change')

    expect(sorting.value).toEqual({ column: 'account', isDescending: false })
  })
})
