import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { anInstallation } from '../testing/an-installation.ts'
import { proxyPlugin } from './proxy-plugin.ts'

const settingsOf = (text: string) => parse(text).plugins.configs['quota-scheduler']

describe('the lines for the proxy', () => {
  it.each([
    { flags: {}, url: 'http://127.0.0.1:4515' },
    { flags: { host: '0.0.0.0', port: '8080' }, url: 'http://127.0.0.1:8080' },
    { flags: { host: '::1' }, url: 'http://[::1]:4515' },
  ])('of a service with $flags name $url', ({ flags, url }) => {
    expect(settingsOf(proxyPlugin(anInstallation({ flags })))).toEqual({
      enabled: true,
      priority: 1,
      url,
      poll_seconds: 2,
    })
  })

  it('name the proxy where the monitor watches several', () => {
    const proxy = (name: string) => `[[upstream]]
name = "${name}"
url = "https://${name}.example"
management_key_file = "/srv/keys/${name}"
`
    const toml = proxy('tokyo') + proxy('berlin')

    expect(settingsOf(proxyPlugin(anInstallation({ toml })))).toMatchObject({ upstream: 'tokyo' })
  })
})
