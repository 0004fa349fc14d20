import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { clearAccounts, fourAccounts } from '../testing/four-accounts.ts'
import { anEntry, click, draw, enter, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
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

describe('the table of accounts of several proxies', () => {
  const heads = () => wordsOfEach(place, 'thead th').slice(1, 4)
  const fleet = { tokyo: [anEntry('ana')], berlin: [anEntry('ana'), anEntry('bob')] }
  const drawFleet = (upstream = '') => {
    showFleet(fleet, upstream)
    place = draw(h(Accounts, { title: 'Accounts' }))
  }
  afterEach(clearFleet)

  it('has a column of proxies, sorts and narrows by it', () => {
    drawFleet()
    expect(heads()).toEqual(['#', 'Account', 'Proxy'])
    expect([...wordsOfEach(place, 'td.at')].sort()).toEqual(['berlin', 'berlin', 'tokyo'])

    click(head('at')?.querySelector('button'))
    expect(wordsOfEach(place, 'td.at')).toEqual(['berlin', 'berlin', 'tokyo'])
    const filter = place
      .querySelectorAll('select')
      .find((select) => select.getAttribute('aria-label') === 'Proxy')
    enter(filter ?? null, 'tokyo', 'change')
    expect(wordsOfEach(place, 'td.at')).toEqual(['tokyo'])
  })

  it('has none while one of them is shown alone', () => {
    drawFleet('berlin')

    expect(heads()).toEqual(['#', 'Account', 'Plan'])
    expect(names().sort()).toEqual(['ana', 'bob'])
    expect(wordsOfEach(place, '.status')).not.toContain('same account, not counted')
  })
})
