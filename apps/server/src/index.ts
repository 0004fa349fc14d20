import { keyOriginOf, transportNameOf } from '@svc/collector/settings'
import type { Upstream } from '@svc/config'
import type { LogFields } from '@svc/core/service'
import { composeService, type StartServerOptions } from './compose.ts'

export type { StartServerOptions } from './compose.ts'
export { StartError } from './http/listeners.ts'

/**
 * Starts the service: opens the listener while it makes the first snapshot, then watches the proxy. Rejects with StartError (`port_in_use`,
 * `bind_failed`) before any call to the proxy.
 */
export async function startServer(options: StartServerOptions) {
  const { config, deps } = options
  const { prepare, start, http, reload, stop } = composeService(options)
  const [url] = await Promise.all([
    http.listen(config.server.host, config.server.port),
    prepare(),
  ]).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  deps.log.info('listening', { url, ...essentialsOf(options) })
  start()
  return {
    /** Address to open, without a trailing slash. */
    url,
    /**
     * Ends everything within 10 s. False if a thread hangs in a system call, because a regular exit of the process would wait for it. Safe to
     * call twice.
     */
    async stop(reason: string) {
      deps.log.info('stopping', { reason })
      const ended = await stop()
      if (ended) deps.log.info('stopped')
      else deps.log.error('stopped, but the history store does not answer')
      return ended
    },
    /**
     * Rereads the key, client label and benchmark files and ends a hold. No setting changes except the proxies, if tables list them: `upstreams` are
     * the current ones, empty without tables.
     */
    reload(upstreams: readonly Upstream[]) {
      deps.log.info('reading key, client labels and benchmark summary again')
      reload(upstreams)
    },
  }
}

export type RunningServer = Awaited<ReturnType<typeof startServer>>

/** Log fields of the start line: the watched proxies, and for a single one the origin of its key, its quota transport and its refresh interval. */
function essentialsOf({ config, demo, version }: StartServerOptions): LogFields {
  const common = {
    version,
    zone: config.display.displayTimezone,
    allowedHosts: config.server.allowedHosts.length,
  }
  if (demo) return { ...common, upstream: 'demo' }
  const { upstreams } = config.fleet
  if (upstreams.length > 0) return { ...common, upstreams: upstreams.map(({ name }) => name) }
  const { upstreamUrl: upstream, refreshSeconds } = config.upstream
  return {
    ...common,
    upstream,
    key: keyOriginOf(config.upstream),
    quota: transportNameOf(config),
    refreshSeconds,
  }
}
