import type { LogFields } from '@svc/core'
import { composeService, keyOriginOf, quotaTransportOf } from './compose.ts'
import type { StartServerOptions } from './start-options.ts'

export { createLog, type LogLevel, type LogOptions } from './log.ts'
export { encodeSnapshot } from './monitor/encode-snapshot.ts'
export { StartError } from './start-error.ts'
export type { StartServerOptions } from './start-options.ts'

export interface RunningServer {
  /** Address to open, without a trailing slash. */
  readonly url: string
  /** Ends everything within 10 s. Safe to call twice. */
  stop(reason: string): Promise<void>
  /** Re-reads the management key and ends a hold. */
  reload(): void
}

/**
 * Starts the service: a first snapshot, then the listener, then the watch on the proxy. Rejects with StartError
 * (`port_in_use`, `bind_failed`) before anything was asked of the proxy.
 */
export async function startServer(options: StartServerOptions): Promise<RunningServer> {
  const { config, deps } = options
  const { monitor, http, reload } = composeService(options)
  await monitor.prepare()
  const url = await http.listen(config.host, config.port)
  deps.log.info('listening', { url, ...essentialsOf(options) })
  monitor.start()
  return {
    url,
    async stop(reason) {
      deps.log.info('stopping', { reason })
      await Promise.all([http.stop(), monitor.stop()])
      deps.log.info('stopped')
    },
    reload() {
      deps.log.info('reloading the management key')
      reload()
    },
  }
}

/** What an operator needs to know of a start: what is watched, how, and how often. */
function essentialsOf({ config, demo, version }: StartServerOptions): LogFields {
  const common = { version, zone: config.displayTimezone, allowedHosts: config.allowedHosts.length }
  if (demo) return { ...common, upstream: 'demo' }
  const { upstreamUrl: upstream, refreshSeconds } = config
  return { ...common, upstream, key: keyOriginOf(config), quota: quotaTransportOf(config), refreshSeconds }
}
