import { expect, it } from 'vitest'
import { anAccount, aSnapshot, NOW } from '../testing/builders.ts'
import { countedAt, uniqueAccounts, upstreamsByAccountKey } from './upstream-places.ts'

const disabled = { operatorDisabled: true }
const { accounts } = aSnapshot([
  [anAccount('alice', { upstream: 'tokyo' }), null],
  [anAccount('alice', { upstream: 'berlin', ...disabled }), null],
  [anAccount('bob', { upstream: 'berlin' }), null],
])

const standing = (name: string) => ({
  name,
  source: 'live' as const,
  available: true,
  sampledAt: NOW,
  gatewayUp: true,
  version: null,
  clockSkewSeconds: null,
  skipped: [],
})

it('an account is seen at every proxy that lists it, in the order of their names', () => {
  const seenAt = upstreamsByAccountKey(accounts)

  expect(seenAt.get(anAccount('alice').selector.accountKey)).toEqual(['berlin', 'tokyo'])
  expect(seenAt.get(anAccount('bob').selector.accountKey)).toEqual(['berlin'])
  expect(seenAt.size).toBe(2)
})

it('each proxy counts its own files, and those of them that may be used', () => {
  const counted = countedAt(['tokyo', 'berlin', 'paris'].map(standing), accounts)

  expect(counted).toMatchObject([
    { name: 'tokyo', fileCount: 1, routableCount: 1 },
    { name: 'berlin', fileCount: 2, routableCount: 1 },
    { name: 'paris', fileCount: 0, routableCount: 0 },
  ])
})

it('an account that several proxies list is counted once, at the proxy of its best file', () => {
  const named = (files: typeof accounts) =>
    files.map(({ account }) => `${account.upstream} ${account.selector.authName}`)
  const [best, ...others] = accounts
  if (best === undefined) throw new Error('accounts were given')
  const twin = { ...best, account: { ...best.account, upstream: 'paris' } }

  expect(named(uniqueAccounts([best, twin, ...others]))).toEqual(
    named(accounts).filter((name) => !name.startsWith('berlin codex-alice')),
  )
  expect(uniqueAccounts([best, best])).toHaveLength(2)
})
