import { afterEach, describe, expect, it } from 'vitest'
import { scrolls } from '../testing/browser.ts'
import { accountHref, goTo, route, viewHref } from './route.ts'

afterEach(() => {
  location.hash = ''
  scrolls.length = 0
})

describe('the address', () => {
  it.each([
    { hash: '', view: '', account: null },
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
