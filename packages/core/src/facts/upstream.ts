/** Name of a proxy in the configuration; matches `UPSTREAM_NAME`. */
export type UpstreamName = string

/** Valid names of proxies. */
export const UPSTREAM_NAME = /^[a-z0-9-]{1,32}$/

/** The proxy described by the top-level keys of the configuration. */
export const DEFAULT_UPSTREAM: UpstreamName = 'default'

interface FileOfUpstream {
  /** The default proxy if omitted, as by third-party scripts. */
  readonly upstream?: UpstreamName
  readonly selector: { readonly authName: string }
}

/**
 * Unique key of an auth file among all proxies: `<proxy>/<authName>`. A file of the default proxy has only its authName, unless that contains a
 * folder.
 */
export function fileKeyOf({
  upstream = DEFAULT_UPSTREAM,
  selector: { authName },
}: FileOfUpstream): string {
  const isPlain = upstream === DEFAULT_UPSTREAM && !authName.includes('/')
  return isPlain ? authName : `${upstream}/${authName}`
}

/** The proxy of a file, from its key as made by `fileKeyOf`. */
export function upstreamOfFile(fileKey: string): UpstreamName {
  const slash = fileKey.indexOf('/')
  return slash < 0 ? DEFAULT_UPSTREAM : fileKey.slice(0, slash)
}
