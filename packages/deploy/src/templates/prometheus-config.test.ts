import { describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { prometheusConfig } from './prometheus-config.ts'

describe('the scrape configuration', () => {
  it.each([
    { flags: {}, target: '127.0.0.1:4515' },
    { flags: { port: '8080' }, target: '127.0.0.1:8080' },
    { flags: { host: '0.0.0.0' }, target: '127.0.0.1:4515' },
    { flags: { host: '::1' }, target: '[::1]:4515' },
  ])('of a service with $flags asks $target', ({ flags, target }) => {
    expect(prometheusConfig(anInstallation({ flags }))).toContain(`- targets: ["${target}"]`)
  })

  it('names the job as the alert for a monitor that is down does', () => {
    expect(prometheusConfig(anInstallation())).toContain('job_name: svc-quota-monitor\n')
  })
})
