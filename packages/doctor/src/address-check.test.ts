import { configWith } from '@svc/config/testing'
import { describe, expect, it } from 'vitest'
import { addressVerdict, hostOf, portOf } from './address-check.ts'

const judged = (upstreamUrl: string, host = '127.0.0.1', port = 4515) =>
  addressVerdict(configWith({ upstreamUrl, host, port }))

describe('the address of the proxy', () => {
  it.each([
    { url: 'http://proxy:8317/v0/management', base: 'http://proxy:8317' },
    { url: 'http://proxy:8317/v1', base: 'http://proxy:8317' },
    { url: 'https://x.example/cpa/management.html', base: 'https://x.example/cpa' },
    { url: 'http://proxy:8317/v1/models/a', base: 'http://proxy:8317' },
  ])('$url ends in a path of the proxy', ({ url, base }) => {
    expect(judged(url)).toMatchObject({
      status: 'fail',
      code: 'path_in_url',
      hint: `Set upstream_url to ${base}.`,
    })
  })

  it.each(['http://proxy:8317', 'https://x.example/v12', 'http://x.example/cpa', 'http://v1:80'])(
    '%s is one',
    (url) => {
      expect(judged(url)).toMatchObject({ status: 'ok', detail: url })
    },
  )

  it.each([
    { url: 'http://127.0.0.1:4515', host: '127.0.0.1', ours: true },
    { url: 'http://localhost:4515', host: '127.0.0.1', ours: true },
    { url: 'http://[::1]:4515', host: '0.0.0.0', ours: true },
    { url: 'http://127.0.0.1:4515', host: '::', ours: true },
    { url: 'http://127.0.0.1:8317', host: '127.0.0.1', ours: false },
    { url: 'http://192.0.2.1:4515', host: '127.0.0.1', ours: false },
    { url: 'http://192.0.2.1:4515', host: '192.0.2.1', ours: true },
    { url: 'http://127.0.0.1:4515', host: '192.0.2.1', ours: false },
  ])('$url is our own while we listen on $host: $ours', ({ url, host, ours }) => {
    expect(judged(url, host).code).toBe(ours ? 'own_port' : 'ok')
  })

  it.each([
    { url: 'http://localhost', port: 80 },
    { url: 'https://localhost', port: 443 },
  ])('without a port is that of its scheme: $url', ({ url, port }) => {
    expect(judged(url, '127.0.0.1', port).code).toBe('own_port')
    expect(portOf(new URL(url))).toBe(port)
  })

  it('has no brackets in its host', () => {
    expect(hostOf(new URL('http://[::1]:80'))).toBe('::1')
    expect(hostOf(new URL('http://a.example'))).toBe('a.example')
  })
})
