import { expect, it } from 'vitest'
import { commonProviderLabel, providerRow, providerRows } from './provider.ts'

it.each([
  { providers: ['codex'], label: 'Codex' },
  { providers: ['codex', 'codex'], label: 'Codex' },
  { providers: ['codex', 'nobody'], label: null },
  { providers: ['nobody'], label: null },
  { providers: ['constructor'], label: null },
])('accounts of $providers are called $label', ({ providers, label }) => {
  expect(commonProviderLabel(providers)).toBe(label)
})

it('a pool without accounts is called by the only provider that can be watched', () => {
  const labels = Object.values(providerRows).map((row) => row.label)

  expect(commonProviderLabel([])).toBe(labels.length === 1 ? labels[0] : null)
})

it.each(Object.entries(providerRows))('no alias at %s is a plan of its own', (provider) => {
  const plans = Object.entries(providerRow(provider)?.plans ?? {})
  const names = plans.flatMap(([kind, { aliases = [] }]) => [kind, ...aliases])

  expect(new Set(names).size).toBe(names.length)
})
