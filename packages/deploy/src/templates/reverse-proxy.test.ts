import { describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { caddyfile, nginxConf } from './reverse-proxy.ts'

const withFlags = (flags: Readonly<Record<string, string>>) => anInstallation({ flags })

describe('what stands in front', () => {
  it('listens on the port that is listed with the name', () => {
    const installation = withFlags({ 'allowed-host': 'quota.example.com:8443' })
    const [nginx, caddy] = [nginxConf(installation), caddyfile(installation)]

    expect(nginx).toContain('listen 8443 ssl;')
    expect(nginx).toContain('server_name quota.example.com;')
    expect(nginx).toContain('proxy_set_header Host $http_host;')
    expect(caddy).toMatch(/^quota\.example\.com:8443 \{$/m)
    expect(caddy).toMatch(/^\tbasicauth \{$/m)
    for (const text of [nginx, caddy])
      expect(text).toContain('--allowed-host quota.example.com:8443')
  })

  it('listens on the port of https where the name is listed without one', () => {
    const installation = withFlags({ 'allowed-host': 'quota.example.com' })

    expect(nginxConf(installation)).toContain('listen 443 ssl;')
    expect(caddyfile(installation)).toMatch(/^quota\.example\.com \{$/m)
  })

  it('of an IPv6 address has it in brackets', () => {
    expect(nginxConf(withFlags({ 'allowed-host': '[fd00::1]' }))).toContain(
      'server_name [fd00::1];',
    )
  })

  it.each([
    { host: '127.0.0.1', asked: '127.0.0.1:4515' },
    { host: '0.0.0.0', asked: '127.0.0.1:4515' },
    { host: '::', asked: '127.0.0.1:4515' },
    { host: '::1', asked: '[::1]:4515' },
    { host: '192.0.2.7', asked: '192.0.2.7:4515' },
  ])('asks a service that listens on $host at $asked', ({ host, asked }) => {
    expect(nginxConf(withFlags({ host }))).toContain(`proxy_pass http://${asked};`)
    expect(caddyfile(withFlags({ host }))).toContain(`reverse_proxy ${asked} {`)
  })

  it('keeps the login to itself', () => {
    expect(nginxConf(anInstallation())).toContain('proxy_set_header Authorization "";')
    expect(caddyfile(anInstallation())).toContain('header_up -Authorization')
  })
})
