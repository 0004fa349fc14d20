import { fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { fourAccounts } from '../testing/four-accounts.ts'
import { anEntry, change, click, draw, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { Accounts } from './accounts.tsx'

let place: HTMLElement
const names = () => wordsOfEach(place, 'tbody .who').map((text) => text.split('@')[0])
const head = (column: string) => place.querySelector(`thead .${column}`)

beforeEach(() => {
  showPool(fourAccounts())
  place = draw(h(Accounts, { title: 'Accounts' }))
})

describe('the table of accounts', () => {
  it('has those that can be used first, then the blocked ones under a line that counts them', () => {
    expect(names()).toEqual(['ana', 'bob', 'cyd', 'dan'])
    expect(wordsOfEach(place, 'td.rank')).toEqual(['1', '2', '–', '–'])
    expect(wordsOf(place.querySelector('tr.group'))).toBe(
      'Blocked, 2. 1 waits for a reset, 1 disabled',
    )
  })

  it('says of a subscription that ends soon how long it runs, marks the last week and the last day, and sorts by any known end', () => {
    const ends = () => head('plan')?.querySelectorAll('button')[1]
    expect(ends()).toBe(undefined)

    const paidFor = (name: string, days: number, ageSeconds = 0) =>
      anEntry(name, { ageSeconds }, { subscribedUntil: fromNow(days * 86_400) })
    change(() => {
      showPool([
        paidFor('ana', 14.1),
        anEntry('bob'),
        paidFor('cyd', 0.5),
        paidFor('dan', -3, 4e5),
        paidFor('eve', 13.9),
        paidFor('fay', 3.1),
        paidFor('gil', 2.9),
      ])
    })
    click(ends())

    expect(names()).toEqual(['dan', 'cyd', 'gil', 'fay', 'eve', 'ana', 'bob'])
    expect(wordsOfEach(place, 'td.plan .badge')).toEqual([
      'Plus ended',
      'Plus <1d left',
      'Plus 2d left',
      'Plus 3d left',
      'Plus 13d left',
      'Plus',
      'Plus',
    ])
    expect(wordsOfEach(place, 'td.plan .over')).toEqual(['ended', '<1d left'])
    expect(wordsOfEach(place, 'td.plan .short')).toEqual(['2d left', '3d left'])
    expect(head('plan')?.getAttribute('aria-sort')).toBe('ascending')
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

  it('has a column of proxies, and sorts by it', () => {
    drawFleet()
    expect(heads()).toEqual(['#', 'Account', 'Proxy'])
    expect(names().sort()).toEqual(['ana', 'bob'])
    expect([...wordsOfEach(place, 'td.at')].sort()).toEqual(['berlin', 'berlin, tokyo'])

    click(head('at')?.querySelector('button'))
    expect(wordsOfEach(place, 'td.at')).toEqual(['berlin', 'berlin, tokyo'])
  })

  it('has none while one of them is shown alone', () => {
    drawFleet('berlin')

    expect(heads()).toEqual(['#', 'Account', 'Plan'])
    expect(names().sort()).toEqual(['ana', 'bob'])
    expect(wordsOfEach(place, '.status')).not.toContain('same account, not counted')
  })
})
