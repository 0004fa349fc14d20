import { anAccount } from '@svc/core/testing'
import { h } from 'preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { isByPlan, query } from '../state/account-filters.ts'
import {
  anEntry,
  change,
  click,
  draw,
  elementsOf,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { Accounts } from './accounts.tsx'

let place: HTMLElement

beforeEach(() => {
  isByPlan.value = true
  showPool([
    anEntry('ana', { fiveHour: 90 }),
    anEntry('bob', { fiveHour: 0, resetsInSeconds: 600 }),
    anEntry('cyd', { fiveHour: 50 }, { claimedPlan: 'pro' }),
    anEntry('eve', {}, { claimedPlan: 'free' }),
    [anAccount('new'), null],
  ])
  place = draw(h(Accounts, { title: 'Accounts' }))
})

const heads = () => wordsOfEach(place, '.plan-head')
const rowIndexes = () =>
  elementsOf(place, 'tr').flatMap((row) => row.getAttribute('aria-rowindex') ?? [])

describe('the accounts by plan', () => {
  it('stand under their sums: how many, what is usable of each window, what returns next', () => {
    const [plus = '', free = '', pro = ''] = heads()

    expect(plus).toBe(
      'Plus 3 accounts 2 routable, 1 blocked 5h 0.9 of 3 1.0 unknown +1.0 in 10min ' +
        'W 0.6 of 3 1.0 unknown +0.8 in 1d 1h',
    )
    expect(pro).toMatch(/^Pro 1 account 1 routable, 0 blocked 5h 10\.0 of 20 \+10\.0 in 2h 30min/)
    expect(free).toBe('Free 1 account 1 routable, 0 blocked not tracked not tracked')
  })

  it('are a group of rows each, under a heading that names the plan', () => {
    const groups = elementsOf(place, 'tbody')

    expect(groups.map((group) => wordsOf(group.querySelector('h3')))).toEqual([
      'Plus',
      'Free',
      'Pro',
    ])
    expect(groups.map((group) => group.querySelectorAll('.open').length)).toEqual([3, 1, 1])
    expect(elementsOf(place, '.plan-head th').map((head) => head.getAttribute('scope'))).toEqual([
      'rowgroup',
      'rowgroup',
      'rowgroup',
    ])
    expect(place.querySelectorAll('tr.group')).toHaveLength(0)
  })

  it('count every line, heads too', () => {
    expect(rowIndexes()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
    expect(place.querySelector('table')?.getAttribute('aria-rowcount')).toBe('9')
  })

  it('are searched, and taken apart again by the same switch', () => {
    change(() => {
      query.value = 'cyd'
    })
    expect(heads()).toHaveLength(1)

    click(place.querySelector('.group-switch'))
    expect(heads()).toEqual([])
    expect(place.querySelector('.group-switch')?.getAttribute('aria-pressed')).toBe('false')
    expect(location.hash).not.toContain('group')
  })
})
