import { expect, it } from 'vitest'
import { accountNoun, anAccountText, countedAccountsText } from './provider-names.ts'

it.each([
  { providers: ['codex'], text: '1 Codex account' },
  { providers: ['codex', 'codex'], text: '2 Codex accounts' },
  { providers: ['codex', 'nobody'], text: '2 accounts' },
  { providers: ['nobody'], text: '1 account' },
])('a pool of $providers is $text', ({ providers, text }) => {
  expect(countedAccountsText(providers)).toBe(text)
})

it('an empty pool is called by what could be watched', () => {
  expect(countedAccountsText([])).toBe(`0 ${accountNoun([])}s`)
  expect(accountNoun([])).toMatch(/^([A-Z]\w+ )?account$/)
})

it('a provider without a row is not named', () => {
  expect([accountNoun(['codex']), accountNoun(['nobody'])]).toEqual(['Codex account', 'account'])
  expect([anAccountText(['codex']), anAccountText(['nobody'])]).toEqual([
    'a Codex account',
    'an account',
  ])
})
