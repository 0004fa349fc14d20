import type { Config } from '@svc/config'
import { Redacted } from '@svc/core/service'
import { expect, it } from 'vitest'
import { keyOriginOf, quotaTransportOf } from './quota-transport.ts'

const key = new Redacted('key')

it.each([
  { managementKey: null, managementKeyFile: null, origin: 'none', auto: 'off' },
  { managementKey: null, managementKeyFile: '/key', origin: 'file', auto: 'api-call' },
  { managementKey: key, managementKeyFile: null, origin: 'environment', auto: 'api-call' },
  { managementKey: key, managementKeyFile: '/key', origin: 'environment', auto: 'api-call' },
])('a key of $origin: the vendor is asked by $auto', ({ origin, auto, ...keys }) => {
  const config = { ...keys, quotaTransport: 'auto' } as Config

  expect(keyOriginOf(config)).toBe(origin)
  expect(quotaTransportOf(config)).toBe(auto)
})

it.each(['api-call', 'auth-files', 'off'] as const)(
  'a way that was chosen is taken without a key as well: %s',
  (quotaTransport) => {
    const config = { managementKey: null, managementKeyFile: null, quotaTransport } as Config

    expect(quotaTransportOf(config)).toBe(quotaTransport)
  },
)
