import { beforeEach, describe, expect, it } from 'vitest'
import { scrolls } from '../testing/browser.ts'
import { filter, query, sorting } from './account-filters.ts'
import { privacy, theme } from './display-state.ts'
import { accountHref, closeAccount, goTo, route, viewHref } from './route.ts'

beforeEach(() => {
  scrolls.length = 0
})

describe('the address', () => {
  it.each([
    { hash: '', view: '', account: null },
    { hash: '#?theme=dark', view: '', account: null },
    { hash: '#accounts?q=a/b', view: 'accounts', account: null },
    { hash: '#accounts/c0ffee?f=blocked', view: 'accounts', account: 'c0ffee' },
    { hash: '#stats', view: 'stats', account: null },
    { hash: '#accounts?q=a%2Fb', view: 'accounts', account: null },
    { hash: '#accounts/', view: 'accounts', account: null },
    { hash: '#accounts/c0ffee', view: 'accounts', account: 'c0ffee' },
    { hash: '#accounts/a%2Fb%20c', view: 'accounts', account: 'a/b c' },
    { hash: '#accounts/100%', view: 'accounts', account: '100%' },
  ])('$hash names the view "$view" and the account $account', ({ hash, view, account }) => {
    location.hash = hash

    expect(route.value).toEqual({ view, account })
  })

  it('of an account leads back to it, whatever its key is', () => {
    for (const key of ['c0ffee', 'a/b', 'ü %', '#']) {
      goTo(accountHref(key))
      expect(route.value).toEqual({ view: 'accounts', account: key })
    }
  })

  it('scrolls to the top for another view, and stays for another account', () => {
    goTo(viewHref('accounts'))
    expect(scrolls).toEqual([[0, 0]])

    goTo(accountHref('c0ffee'))
    expect(scrolls).toHaveLength(1)
  })

  it('can be replaced, which the page follows as well', () => {
    goTo(accountHref('c0ffee'), { replace: true })

    expect(location.hash).toBe('#accounts/c0ffee')
    expect(route.value.account).toBe('c0ffee')
  })
})

describe('what is chosen on the page', () => {
  it('replaces the address, and adds nothing to the history', () => {
    goTo(viewHref('accounts'))
    const before = history.length
    filter.value = 'blocked'
    query.value = 'ana'
    sorting.value = { column: 'account', isDescending: false }

    expect(location.hash).toBe('#accounts?q=ana&f=blocked&s=account')
    expect(history.length).toBe(before)
    filter.value = 'all'
    query.value = ''
    sorting.value = { column: 'rank', isDescending: false }
    expect(location.hash).toBe('#accounts')
  })

  it('is taken from an address that is followed', () => {
    goTo('#accounts?f=stale&q=bob&theme=dark')

    expect([filter.value, query.value, theme.value]).toEqual(['stale', 'bob', 'dark'])
  })

  it('is in every link that leads to its view, and theme and privacy are in all', () => {
    filter.value = 'blocked'
    privacy.value = true

    expect([viewHref('accounts'), accountHref('c0ffee'), viewHref('health')]).toEqual([
      '#accounts?f=blocked&privacy=1',
      '#accounts/c0ffee?f=blocked&privacy=1',
      '#health?privacy=1',
    ])
  })

  it('comes back with the entry of the history, but theme and privacy stay', () => {
    goTo('#accounts?f=blocked')
    goTo(viewHref('health'))
    goTo('#accounts?f=stale')
    theme.value = 'dark'
    history.go(-2)

    expect([filter.value, theme.value]).toEqual(['blocked', 'dark'])
    expect(location.hash).toBe('#accounts?f=blocked&theme=dark')
  })

  it('leaves an address alone that names nothing', () => {
    goTo('')

    expect(location.hash).toBe('')
    privacy.value = true
    expect(location.hash).toBe('#overview?privacy=1')
  })
})

describe('an open account', () => {
  const opened = () => {
    goTo(viewHref('accounts'))
    const before = history.length
    goTo(accountHref('ana'))
    return before
  }

  it('is an entry of the history, and closing it goes back', () => {
    const before = opened()
    expect(history.length).toBe(before + 1)
    closeAccount()

    expect([location.hash, route.value.account]).toEqual(['#accounts', null])
    history.go(1)
    expect(route.value.account).toBe('ana')
  })

  it('closes to the table, however many were opened after it', () => {
    opened()
    goTo(accountHref('bob'))
    goTo(accountHref('cyd'), { replace: true })
    goTo(accountHref('dan'))
    closeAccount()

    expect(location.hash).toBe('#accounts')
    history.go(1)
    expect(route.value.account).toBe('ana')
  })

  it('closes to the table as it was filtered meanwhile', () => {
    opened()
    filter.value = 'blocked'
    closeAccount()

    expect([location.hash, filter.value]).toEqual(['#accounts?f=blocked', 'blocked'])
  })

  it.each([
    { what: 'from another view', from: '#health' },
    { what: 'by a link', from: '' },
  ])('that was opened $what closes in its place', ({ from }) => {
    goTo(from)
    goTo(accountHref('ana'))
    const before = history.length
    closeAccount()

    expect([location.hash, history.length]).toEqual(['#accounts', before])
    history.go(-1)
    expect(route.value.account).toBe(null)
  })
})
