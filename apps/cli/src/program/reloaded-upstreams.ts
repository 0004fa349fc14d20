import { ConfigError, type ConfigInput, resolveConfig, type Upstream } from '@svc/config'
import type { Log } from '@svc/core/service'

/** The proxies of the current configuration, or `before` if it is unusable. Switching between one proxy and a list needs a restart. */
export function reloadedUpstreams(
  input: ConfigInput,
  before: readonly Upstream[],
): { readonly upstreams: readonly Upstream[]; readonly complain: (log: Log) => void } {
  const asBefore = (complain: (log: Log) => void) => ({ upstreams: before, complain })
  try {
    const { upstreams } = resolveConfig(input).config.fleet
    if (upstreams.length > 0 === before.length > 0) return { upstreams, complain() {} }
    const what = upstreams.length > 0 ? LISTED_BY_NOW : LISTED_NO_MORE
    return asBefore((log) => log.warn(what, {}, 'news'))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { message: reason } = error
    return asBefore((log) => log.error('the proxies stay as they were', { reason }, 'news'))
  }
}

const LISTED_BY_NOW = 'the configuration lists [[upstream]] by now: restart to watch them'
const LISTED_NO_MORE =
  'the configuration lists no [[upstream]] any more: restart to watch one proxy'
