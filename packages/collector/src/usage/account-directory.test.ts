import { anAccount } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { accountDirectoryOf, accountKeyIn, noAccounts } from './account-directory.ts'

const account = (name: string, key: string, authIndex: string, email: string | null) =>
  anAccount(name, { selector: { authName: `${name}.json`, authIndex, accountKey: key }, email })

const directory = accountDirectoryOf([
  account('alice', 'key-a', 'index-a', 'alice@example.com'),
  // A second file of the same account.
  account('alice-2', 'key-a', 'index-a2', 'alice@example.com'),
  account('shared-1', 'key-s1', 'index-s1', 'team@example.com'),
  account('shared-2', 'key-s2', 'index-s2', 'team@example.com'),
  account('no-index', 'key-n', '', 'nina@example.com'),
])
const record = { authIndex: '', source: '', provider: 'codex' }

describe('whose a usage record is', () => {
  it.each([
    { why: 'the index names it', of: { authIndex: 'index-a2' }, key: 'key-a' },
    {
      why: 'the index wins over the address',
      of: { authIndex: 'index-s1', source: 'alice@example.com' },
      key: 'key-s1',
    },
    { why: 'the address names it, in any case', of: { source: 'ALICE@example.com' }, key: 'key-a' },
    { why: 'an account without an index', of: { source: 'nina@example.com' }, key: 'key-n' },
    {
      why: 'an address of two accounts names none',
      of: { source: 'team@example.com' },
      key: 'other:codex',
    },
    { why: 'an index that is gone', of: { authIndex: 'index-x' }, key: 'other:codex' },
  ])('$why', ({ of, key }) => {
    expect(accountKeyIn(directory, { ...record, ...of })).toBe(key)
  })

  it.each([
    { provider: 'Claude', key: 'other:claude' },
    { provider: '', key: 'other:unknown' },
    { provider: '<script>', key: 'other:script' },
    { provider: '∅', key: 'other:unknown' },
    { provider: 'x'.repeat(40), key: `other:${'x'.repeat(32)}` },
  ])('one of no account is kept by its provider $provider', ({ provider, key }) => {
    expect(accountKeyIn(noAccounts, { ...record, provider })).toBe(key)
  })

  it('an account is called by its first file', () => {
    expect(directory.titleByKey.get('key-a')).toBe('alice@example.com')
    expect(directory.titleByKey.size).toBe(4)
  })
})
