/** Name of a proxy in the configuration: 1 to 32 of a-z, 0-9 and `-`. */
export type UpstreamName = string

/** The proxy that the flat keys of the configuration describe. */
export const DEFAULT_UPSTREAM: UpstreamName = 'default'
