import { anAccount } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { accountDirectoryOf, noAccounts, ownerIn } from './account-directory.ts'

const account = (name: string, key: string, authIndex: string, email: string | null) =>
  anAccount(name, { selector: { authName: `${name}.json`, authIndex, accountKey: key }, email })

const directory = accountDirectoryOf({
  accounts: [
    account('alice', 'key-a', 'index-a', 'alice@example.com'),
    // A second file of the same account.
    account('alice-2', 'key-a', 'index-a2', 'alice@example.com'),
    account('shared-1', 'key-s1', 'index-s1', 'team@example.com'),
    account('shared-2', 'key-s2', 'index-s2', 'team@example.com'),
    account('no-index', 'key-n', '', 'nina@example.com'),
    account('both', 'key-both', 'index-both', 'both@example.com'),
    { ...account('claude', 'key-claude', 'index-claude', 'both@example.com'), provider: 'claude' },
    { ...account('kimi', 'key-kimi', 'index-kimi', null), provider: 'kimi' },
  ],
})
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
    {
      why: 'the address of a Codex account in a Claude record names none',
      of: { source: 'alice@example.com', provider: 'claude' },
      key: 'other:claude',
    },
    {
      why: 'the index of another provider’s login, whatever the address',
      of: { authIndex: 'index-claude', source: 'both@example.com', provider: 'claude' },
      key: 'key-claude',
    },
    {
      why: 'an address that logins of two providers have is the one of the provider',
      of: { source: 'both@example.com' },
      key: 'key-both',
    },
    {
      why: 'a login asked in the format of another vendor',
      of: { authIndex: 'index-kimi', source: 'sk-client', provider: 'claude' },
      key: 'key-kimi',
    },
    {
      why: 'without a provider, an address that one login has',
      of: { source: 'alice@example.com', provider: '' },
      key: 'key-a',
    },
    {
      why: 'without a provider, an address that logins of two providers have',
      of: { source: 'both@example.com', provider: '' },
      key: 'other:unknown',
    },
  ])('$why', ({ of, key }) => {
    const owner = ownerIn(directory, { ...record, ...of })
    expect(owner.accountKey).toBe(key)
    const vendors = new Map([
      ['key-claude', 'claude'],
      ['key-kimi', 'kimi'],
    ])
    const ofKey = key.startsWith('other:')
      ? key.slice('other:'.length)
      : (vendors.get(key) ?? 'codex')
    expect(owner.provider).toBe(ofKey === 'unknown' ? null : ofKey)
  })

  it('is never one of another provider, whatever source and index say', () => {
    const indexes = ['', 'index-a', 'index-s1', 'index-both', 'index-claude', 'index-kimi', 'gone']
    const sources = ['', 'alice@example.com', 'BOTH@example.com', 'team@example.com', 'sk-client']
    for (const authIndex of indexes)
      for (const source of sources)
        for (const provider of ['claude', 'kimi', 'xai']) {
          const owner = ownerIn(directory, { authIndex, source, provider })
          const isIndexed = directory.ownerByIndex.has(authIndex)
          expect(isIndexed || owner.provider === provider).toBe(true)
        }
  })

  it.each([
    { provider: 'Claude', key: 'other:claude' },
    { provider: '', key: 'other:unknown' },
    { provider: '<script>', key: 'other:script' },
    { provider: '∅', key: 'other:unknown' },
    { provider: 'x'.repeat(40), key: `other:${'x'.repeat(32)}` },
  ])('one of no account is kept by its provider $provider', ({ provider, key }) => {
    expect(ownerIn(noAccounts, { ...record, provider }).accountKey).toBe(key)
  })
})
