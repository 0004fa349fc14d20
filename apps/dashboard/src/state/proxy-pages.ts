import { health, wholeHealth } from './live-data.ts'
import { allFiles } from './pool.ts'

/** The web page of a proxy. */
export interface ProxyPage {
  /** Name of the proxy; empty if the configuration lists none. */
  readonly upstream: string
  readonly href: string
}

const ACCOUNT_LIST = 'accounts'

/** The web pages of the proxies with files of these accounts. */
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
