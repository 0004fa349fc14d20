import { describe, expect, it } from 'vitest'
import { knownProviders, providerNamed } from './known-providers.ts'

it('no two providers share a name or the name of their query', () => {
  const names = knownProviders.map(({ id }) => id)
  const endpoints = knownProviders.map(({ endpoint }) => endpoint)

  expect(new Set(names).size).toBe(names.length)
  expect(new Set(endpoints).size).toBe(endpoints.length)
})

it.each(['kiro', 'Codex', '', 'constructor'])('of %j nothing is known', (name) => {
  expect(providerNamed(name)).toBeNull()
})

describe.each(knownProviders)('$id', (provider) => {
  const file = { type: provider.id, access_token: 'sk-ant-oat01-x', refresh_token: 'canary' }
  const login = { bearer: 'sk-ant-oat01-x', vendorAccountId: null, disabled: false }

  it('reads accounts of its name, and of their files the token and the flag', () => {
    expect(providerNamed(provider.id)).toBe(provider)
    expect(provider.loginOf(file)).toEqual(login)
    expect(provider.loginOf({ ...file, disabled: true })).toEqual({ ...login, disabled: true })
  })

  it.each([
    undefined,
    [file],
    { ...file, access_token: undefined },
    { ...file, access_token: '' },
    { ...file, access_token: 'a\r\nb' },
    { ...file, type: 'another' },
    { ...file, disabled: 'no' },
    ...(provider.id === 'codex' ? [] : [{ ...file, type: undefined }]),
  ])('reads no login from %j', (content) => {
    expect(provider.loginOf(content)).toBeNull()
  })

  it('takes from an entry of the list no more than its identity', () => {
    expect(provider.identityOf({ email: 'canary', label: 'canary' })).toEqual({
      vendorAccountId: null,
      claimedPlan: null,
      subscribedUntil: null,
    })
  })
})
