import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clearAccounts, fourAccounts } from '../testing/four-accounts.ts'
import { click, draw, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import type { SmallElement } from '../testing/small-document.ts'
import { Accounts } from './accounts.tsx'

let place: SmallElement
const names = () => wordsOfEach(place, 'tbody .who').map((text) => text.split('@')[0])
const head = (column: string) => place.querySelector(`thead .${column}`)

beforeEach(() => {
  showPool(fourAccounts())
  place = draw(h(Accounts, { title: 'Accounts' }))
})
afterEach(clearAccounts)

describe('the table of accounts', () => {
  it('has those that can be used first, then the blocked ones under a line that counts them', () => {
    expect(names()).toEqual(['ana', 'bob', 'cyd', 'dan'])
    expect(wordsOfEach(place, 'td.rank')).toEqual(['1', '2', '–', '–'])
    expect(wordsOf(place.querySelector('tr.group'))).toBe(
      'Blocked, 2. 1 waits for a reset, 1 disabled',
    )
  })

  it('sorts by the head that is pressed, and turns it round at the next press', () => {
    const press5h = () => click(head('five')?.querySelector('button'))
    press5h()
    expect([names(), head('five')?.attribute('aria-sort')]).toEqual([
      ['ana', 'dan', 'bob', 'cyd'],
      'descending',
    ])

    press5h()
    expect([names(), head('five')?.attribute('aria-sort')]).toEqual([
      ['cyd', 'bob', 'dan', 'ana'],
      'ascending',
    ])
    expect(place.querySelectorAll('tr.group')).toHaveLength(0)
    expect(head('rank')?.attribute('aria-sort')).toBe(null)
  })
})
