import { expect, it } from 'vitest'
import { accountNoun, anAccountText, countedAccountsText } from './provider-names.ts'

it.each([
  { providers: [], text: '0 Codex accounts' },
  { providers: ['codex'], text: '1 Codex account' },
  { providers: ['codex', 'codex'], text: '2 Codex accounts' },
  { providers: ['codex', 'acme'], text: '2 accounts' },
  { providers: ['acme'], text: '1 account' },
])('a pool of $providers is $text', ({ providers, text }) => {
  expect(countedAccountsText(providers)).toBe(text)
})

it('a provider without a row is not named', () => {
  expect([accountNoun(['codex']), accountNoun(['acme'])]).toEqual(['Codex account', 'account'])
  expect([anAccountText(['codex']), anAccountText(['acme'])]).toEqual([
    'a Codex account',
    'an account',
  ])
})
