import { expect, it } from 'vitest'
import { publicSuffixesOf } from './public-suffix.ts'

it.each([
  { host: 'com', isSuffix: true },
  { host: 'co.uk', isSuffix: true },
  { host: 'github.io', isSuffix: true },
  { host: 'quota.example.com', isSuffix: false },
  { host: 'me.github.io', isSuffix: false },
  { host: 'quota.lan', isSuffix: false },
  { host: 'lan', isSuffix: false },
  { host: '192.0.2.1', isSuffix: false },
  { host: '::1', isSuffix: false },
])('anybody can register names under $host: $isSuffix', ({ host, isSuffix }) => {
  expect(publicSuffixesOf([{ host, port: null } as never])).toEqual(isSuffix ? [host] : [])
})
