import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadViewsAhead } from '../parts/lazy-view.tsx'
import { status } from '../state/live-data.ts'
import { goTo } from '../state/route.ts'
import { marked } from '../testing/browser.ts'
import { clearAccounts, fourAccounts } from '../testing/four-accounts.ts'
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
const chip = (label: string) =>
  elementsOf(place, '.chip').find((each) => wordsOf(each).startsWith(label))

beforeEach(() => {
  showPool(fourAccounts())
  place = draw(h(Accounts, { title: 'Accounts' }))
})
afterEach(clearAccounts)

describe('the view of accounts', () => {
  it('says how to add an account where there is none', () => {
    showPool([])

    expect(wordsOf(place.querySelector('.table-box'))).toMatch(
      /^The proxy has no (\w+ )?accounts\./,
    )
    expect(place.querySelectorAll('.chip, .legend, thead')).toHaveLength(0)
  })

  it('helps to set the monitor up before any account is known', async () => {
    await loadViewsAhead()
    change(() => {
      status.value = null
    })

    expect(wordsOf(place.querySelector('#title-set-up'))).toBe('Set up')
    expect(place.querySelectorAll('.chip, .legend, thead')).toHaveLength(0)
  })

  it('opens the details beside it, and marks the row they belong to', () => {
    change(() => goTo('#accounts/index-bob'))

    expect(wordsOf(place.querySelector('.drawer'))).toMatch(/^bob@example\.com Plus Active/)
    expect(wordsOf(place.querySelector('tr.selected th'))).toBe('bob@example.com')
    expect(place.querySelector('tr.selected')?.getAttribute('aria-current')).toBe('true')
  })

  it('says how many are found, and nothing while only their numbers change', () => {
    const said = () => wordsOf(place.querySelector('.find [role=status]'))
    expect(said()).toBe('4 accounts')
    enter(place.querySelector('#search'), 'bo')
    expect(said()).toBe('1 account')

    enter(place.querySelector('#search'), 'zed')
    expect(said()).toBe('0 accounts')
  })

  it('adds up what is found', () => {
    expect(wordsOf(place.querySelector('.sums'))).toBe(
      '4 accounts, 2 routable, 5h 1.4 of 3 Plus left, week 1.8 of 3 Plus left',
    )
    click(chip('Disabled'))

    expect(wordsOf(place.querySelector('.sums'))).toBe('1 account, 0 routable, no tracked quota')
    expect(wordsOfEach(place, '.find .popup button')).toEqual(['Copy the name'])
  })

  it('opens an account from anywhere in its row, but not when a text was marked', () => {
    marked.isEmpty = false
    click(place.querySelector('td.points'))
    expect(place.querySelectorAll('.drawer')).toHaveLength(0)

    marked.isEmpty = true
    click(place.querySelector('td.points'))
    expect(wordsOf(place.querySelector('.drawer'))).toMatch(/^ana@example\.com/)
  })

  it('shows no details of an account that is not there', () => {
    change(() => goTo('#accounts/nobody'))

    expect(place.querySelectorAll('.drawer')).toHaveLength(0)
  })
})
