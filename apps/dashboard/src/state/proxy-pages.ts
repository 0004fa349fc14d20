import { health, wholeHealth } from './live-data.ts'
import { allFiles } from './pool.ts'

/** A proxy's own page. */
export interface ProxyPage {
  /** Name of the proxy; empty if the configuration lists none. */
  readonly upstream: string
  readonly href: string
}

const ACCOUNT_LIST = 'accounts'

/** The pages of the proxies that have files of these accounts. */
export function findProxyPages(accountKeys: readonly string[] = []): readonly ProxyPage[] {
  const keys = new Set(accountKeys)
  const upstreams = new Set(
    allFiles.value
      .filter(({ selector }) => keys.has(selector.accountKey))
      .map(({ upstream = '' }) => upstream),
  )
  return ((wholeHealth.value ?? health.value)?.sources ?? []).flatMap(
    ({ id, upstream = '', pageUrl }) =>
      id?.split('@')[0] === ACCOUNT_LIST && pageUrl !== undefined && upstreams.has(upstream)
        ? [{ upstream, href: pageUrl }]
        : [],
  )
}
