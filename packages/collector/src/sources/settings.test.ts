import { Redacted } from '@svc/core/service'
import { expect, it } from 'vitest'
import { liveSourceOptions } from '../testing/live-source-options.ts'
import { keyOriginOf, transportNameOf } from './settings.ts'

const key = new Redacted('key')

it.each([
  { managementKey: null, managementKeyFile: null, origin: 'none', auto: 'off' },
  { managementKey: null, managementKeyFile: '/key', origin: 'file', auto: 'api-call' },
  { managementKey: key, managementKeyFile: null, origin: 'environment', auto: 'api-call' },
  { managementKey: key, managementKeyFile: '/key', origin: 'environment', auto: 'api-call' },
])('a key of $origin: the vendor is asked by $auto', ({ origin, auto, ...keys }) => {
  const options = liveSourceOptions('key', { upstream: keys, quota: { quotaTransport: 'auto' } })

  expect(keyOriginOf(options.upstream)).toBe(origin)
  expect(transportNameOf(options)).toBe(auto)
})

it.each(['api-call', 'auth-files', 'off'] as const)(
  'a way that was chosen is taken without a key as well: %s',
  (quotaTransport) => {
    const upstream = { managementKey: null, managementKeyFile: null }

    expect(transportNameOf(liveSourceOptions('key', { upstream, quota: { quotaTransport } }))).toBe(
      quotaTransport,
    )
  },
)
