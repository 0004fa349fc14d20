import { expect, it } from 'vitest'
import { providerLabel, providerRow, providerRowOf, providerRows } from './provider.ts'

it.each([
  { provider: 'codex', label: 'Codex' },
  { provider: 'kimi-ai', label: 'Kimi' },
  { provider: 'nobody', label: 'Nobody' },
  { provider: 'constructor', label: 'Constructor' },
  { provider: 'xai', label: 'xAI' },
])('$provider is called $label', ({ provider, label }) => {
  expect(providerLabel(provider)).toBe(label)
})

it('a provider without a row counts accounts, each as one, and believes no single refusal', () => {
  expect(providerRow('nobody')).toBeUndefined()
  expect(providerRowOf('nobody')).toMatchObject({ unit: 'accounts', otherPlansWeight: 1 })
  expect(providerRowOf('nobody').refusalsApartMs).toBeGreaterThan(0)
})

it.each(Object.entries(providerRows))('no alias at %s is a plan of its own', (provider) => {
  const plans = Object.entries(providerRow(provider)?.plans ?? {})
  const names = plans.flatMap(([kind, { aliases = [] }]) => [kind, ...aliases])

  expect(new Set(names).size).toBe(names.length)
})

it.each(Object.entries(providerRows))('every name of a plan of %s is normalised', (provider) => {
  const plans = Object.entries(providerRow(provider)?.plans ?? {})
  for (const [kind, { aliases = [] }] of plans)
    expect([kind.replaceAll('_', ''), ...aliases]).toContain(kind.replaceAll('_', ''))
  for (const [kind, { aliases = [] }] of plans)
    if (kind.includes('_')) expect(aliases).toContain(kind.replaceAll('_', ''))
})
