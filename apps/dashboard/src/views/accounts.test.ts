import { h } from 'preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { filter } from '../state/account-filters.ts'
import { pickedAccounts } from '../state/account-picks.ts'
import { goTo, route } from '../state/route.ts'
import {
  anEntry,
  change,
  clearPage,
  draw,
  elementsOf,
  press,
  showPool,
  wordsOf,
} from '../testing/page.ts'
import { Accounts } from './accounts.tsx'

let place: HTMLElement

beforeEach(() => {
  showPool([
    anEntry('ana', { fiveHour: 90 }),
    anEntry('bob', { fiveHour: 50 }),
    anEntry('cyd', { fiveHour: 0 }),
    anEntry('dan', { fiveHour: 80 }, { operatorDisabled: true }),
  ])
  place = draw(h(Accounts, { title: 'Accounts' }))
})

describe('the keys of the table', () => {
  const focused = () => wordsOf(document.activeElement)
  const picked = () => pickedAccounts.value.accounts.map(({ title }) => title.split('@')[0])

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
    place.querySelector<HTMLElement>('#search')?.focus()
    press('j')

    expect(document.activeElement?.getAttribute('id')).toBe('search')
  })

  it('of the arrows go through the rows once the focus is in one, and nowhere else', () => {
    expect(press('ArrowDown')).toBe(false)
    expect(document.activeElement).toBe(document.body)

    press('j')
    expect(press('ArrowDown')).toBe(true)
    expect(focused()).toBe('bob@example.com')
    press('ArrowUp')
    press('ArrowUp')
    expect(focused()).toBe('ana@example.com')
    expect(picked()).toEqual([])
  })

  it('pick a row with the space bar, and leave it again', () => {
    press('j')
    expect(press(' ')).toBe(true)
    expect(picked()).toEqual(['ana'])

    press(' ')
    expect(picked()).toEqual([])
  })

  it('pick more rows with shift, fewer on the way back, and keep what was picked before', () => {
    press('j')
    press(' ')
    press('ArrowDown')
    press('ArrowDown')
    for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp']) press(key, { shiftKey: true })
    expect([picked(), focused()]).toEqual([['ana', 'bob', 'cyd'], 'bob@example.com'])

    press('ArrowDown', { shiftKey: true })
    expect(picked()).toEqual(['ana', 'cyd'])
  })

  it('pick everything that is found, from the table alone', () => {
    change(() => {
      filter.value = 'blocked'
    })
    expect(press('a', { ctrlKey: true })).toBe(false)
    expect(picked()).toEqual([])

    press('j')
    expect(press('a', { ctrlKey: true })).toBe(true)
    expect(picked()).toEqual(['cyd', 'dan'])
  })

  it('leave what is picked once no details are open any more', () => {
    press('j')
    press(' ')
    change(() => goTo('#accounts/index-ana'))
    press('Escape')
    expect([route.value.account, picked()]).toEqual([null, ['ana']])

    press('Escape')
    expect(picked()).toEqual([])
  })

  it('reach a row from its box', () => {
    elementsOf(place, 'tbody .pick input')[1]?.focus()
    press('ArrowDown')

    expect(focused()).toBe('cyd@example.com')
  })

  it('leave a table alone that is gone', () => {
    clearPage()
    press('j')

    expect(document.activeElement).toBe(document.body)
  })
})
