import { expect, it } from 'vitest'
import { knownProviders, providerNamed } from './known-providers.ts'

it('no two providers share a name or the name of their query', () => {
  const names = knownProviders.map(({ id }) => id)
  const endpoints = knownProviders.map(({ endpoint }) => endpoint)

  expect(new Set(names).size).toBe(names.length)
  expect(new Set(endpoints).size).toBe(endpoints.length)
})

it.each(knownProviders)('an account of $id is read by the provider of that name', (provider) => {
  expect(providerNamed(provider.id)).toBe(provider)
})

it.each(['kiro', 'Codex', '', 'constructor'])('of %j nothing is known', (name) => {
  expect(providerNamed(name)).toBeNull()
})
