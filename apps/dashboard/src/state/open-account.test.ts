import '../testing/browser.ts'
import { afterEach, expect, it } from 'vitest'
import { anEntry, change, clearPage, showPool } from '../testing/page.ts'
import { openAccount } from './open-account.ts'

afterEach(() => {
  clearPage()
  location.hash = ''
})

it.each([
  { hash: '#accounts/index-bob', key: 'bob' },
  { hash: '#accounts/index-gone', key: null },
  { hash: '#accounts', key: null },
  { hash: '#overview', key: null },
])('at $hash the account is $key, by the key that the service knows it by', ({ hash, key }) => {
  showPool([anEntry('ana'), anEntry('bob')])
  const bob = anEntry('bob')[0].selector.accountKey
  change(() => {
    location.hash = hash
  })

  expect(openAccount.value?.selector.accountKey ?? null).toBe(key === null ? null : bob)
})
