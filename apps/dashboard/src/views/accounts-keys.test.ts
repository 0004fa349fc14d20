import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { filter, query, sorting } from '../state/account-filters.ts'
import { goTo, route } from '../state/route.ts'
import { smallDocument } from '../testing/browser.ts'
import { anEntry, change, clearPage, draw, press, showPool, wordsOf } from '../testing/page.ts'
import type { SmallElement } from '../testing/small-document.ts'
import { Accounts } from './accounts.tsx'

let place: SmallElement

beforeEach(() => {
  showPool([
    anEntry('ana', { fiveHour: 90 }),
    anEntry('bob', { fiveHour: 50 }),
    anEntry('cyd', { fiveHour: 0 }),
    anEntry('dan', { fiveHour: 80 }, { operatorDisabled: true }),
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
