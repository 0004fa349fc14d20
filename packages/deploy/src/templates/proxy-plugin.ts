import { upstreamsOf } from '@svc/config'
import type { Installation } from '../installation/installation.ts'

/** Lines for the proxy's configuration by which it routes by the ranking. See docs/operating.md#the-proxy-routes-by-the-ranking. */
export function proxyPlugin({ address, config }: Installation): string {
  const names = upstreamsOf(config).map(({ name }) => name)
  const upstream =
    names.length < 2
      ? ''
      : `      # This proxy, of those that the monitor watches: ${names.join(', ')}.\n      upstream: "${names[0]}"\n`
  return `# For the config.yaml of CLIProxyAPI v7.1.57 or newer, beside quota-scheduler in its folder for plugins.

plugins:
  enabled: true
  configs:
    quota-scheduler:
      enabled: true
      priority: 1
      # Address of the monitor as the proxy reaches it, plain HTTP.
      url: "http://${address}"
${upstream}      poll_seconds: 2
`
}
