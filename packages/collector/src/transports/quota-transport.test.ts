import { expect, it } from 'vitest'
import { aMadeUpVendor } from '../testing/made-up-vendor.ts'
import { providerIn, queriedProviders, withPlugins } from './quota-transport.ts'

const all = (['codex', 'claude', 'kimi', 'kimi-ai', 'antigravity'] as const).map((id) =>
  aMadeUpVendor({ id }),
)

it.each([
  { names: ['codex', 'claude'], queried: ['codex', 'claude'] },
  { names: ['kimi'], queried: ['kimi', 'kimi-ai'] },
  { names: ['antigravity', 'xai'], queried: ['antigravity'] },
  { names: [], queried: [] },
])('of $names, $queried are queried', ({ names, queried }) => {
  const providers = queriedProviders(names, all)

  expect(providers.map(({ id }) => id)).toEqual(queried)
  expect(all.filter(({ id }) => providerIn(providers)({ provider: id }) !== null)).toEqual(
    providers,
  )
})

it.each([
  { provider: 'kimi', supportsQuota: true, asked: 'made-up' },
  { provider: 'claude', supportsQuota: true, asked: null },
  { provider: 'opencode-go', supportsQuota: true, asked: 'quota-fetch' },
  { provider: 'opencode-go', supportsQuota: false, asked: null },
  { provider: 'opencode-go', asked: null },
])(
  'an account of $provider, offered by a plugin: $supportsQuota, is asked by $asked',
  ({ asked, ...account }) => {
    const find = withPlugins(providerIn(queriedProviders(['kimi'], all)))

    expect(find(account)?.endpoint ?? null).toBe(asked)
  },
)
