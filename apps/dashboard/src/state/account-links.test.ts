import { describe, expect, it } from 'vitest'
import { anEntry, showPool } from '../testing/page.ts'
import { accountLinks, accountsHref, accountsTableHref } from './account-links.ts'
import { shownAccounts } from './pool.ts'

const keysOf = (...names: readonly string[]) =>
  names.map(
    (name) =>
      shownAccounts.value.find(({ title }) => title.startsWith(`${name}@`))?.selector.accountKey ??
      name,
  )

describe('where an item of health leads', () => {
  it('is nowhere for an item about no account, or about one that has left', () => {
    showPool([anEntry('ana')])

    expect(accountsHref(undefined)).toBeNull()
    expect(accountsHref([])).toBeNull()
    expect(accountsHref(['gone'])).toBeNull()
    expect(accountLinks(['gone'])).toEqual([])
  })

  it('is the account itself for an item about one', () => {
    showPool([anEntry('ana'), anEntry('bob')])

    expect(accountsHref(keysOf('bob'))).toBe('#accounts/index-bob')
    expect(accountsHref(['gone', ...keysOf('bob')])).toBe('#accounts/index-bob')
  })

  it('is the table, filtered by what blocks all of several, else by who needs the operator', () => {
    const usedUp = { fiveHour: 0 }
    showPool([
      anEntry('ana', usedUp),
      anEntry('bob', usedUp, { unavailable: true }),
      anEntry('cyd'),
    ])

    expect(accountsHref(keysOf('ana', 'bob'))).toBe('#accounts?by=quota_exhausted_5h')
    expect(accountsHref(keysOf('ana', 'cyd'))).toBe('#accounts?f=needs')
  })

  it('names its accounts in the order of the item', () => {
    showPool([anEntry('ana'), anEntry('bob', { fiveHour: 100 })])

    expect(accountLinks(keysOf('ana', 'bob'))).toEqual([
      { title: 'ana@example.com', href: '#accounts/index-ana' },
      { title: 'bob@example.com', href: '#accounts/index-bob' },
    ])
  })

  it('is one address whatever the search is for', () => {
    expect(accountsTableHref({ q: 'a & b?#' })).toBe('#accounts?q=a+%26+b%3F%23')
  })
})
