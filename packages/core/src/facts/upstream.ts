/** Name of a proxy in the configuration; matches `UPSTREAM_NAME`. */
export type UpstreamName = string

/** Names of proxies. */
export const UPSTREAM_NAME = /^[a-z0-9-]{1,32}$/

/** The proxy that the flat keys of the configuration describe. */
export const DEFAULT_UPSTREAM: UpstreamName = 'default'

interface FileOfUpstream {
  /** Left out by scripts of others: the default proxy. */
  readonly upstream?: UpstreamName
  readonly selector: { readonly authName: string }
}

/** Identifies an auth file among all proxies: its authName, preceded by the proxy's name and a slash unless it is a file without a folder at the default proxy. */
export function fileKeyOf({
  upstream = DEFAULT_UPSTREAM,
  selector: { authName },
}: FileOfUpstream): string {
  const isPlain = upstream === DEFAULT_UPSTREAM && !authName.includes('/')
  return isPlain ? authName : `${upstream}/${authName}`
}

/** The proxy of a file that `fileKeyOf` has named. */
export function upstreamOfFile(fileKey: string): UpstreamName {
  const slash = fileKey.indexOf('/')
  return slash < 0 ? DEFAULT_UPSTREAM : fileKey.slice(0, slash)
}
