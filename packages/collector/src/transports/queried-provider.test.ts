import { expect, it } from 'vitest'
import { aMadeUpVendor } from '../testing/made-up-vendor.ts'
import { providerIn, queriedProviders } from './queried-provider.ts'

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
  expect(all.filter(({ id }) => providerIn(providers)(id) !== null)).toEqual(providers)
})
