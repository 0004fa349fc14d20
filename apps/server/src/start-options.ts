import type { Config } from '@svc/config'
import type { Clock, Log } from '@svc/core'

export interface StartServerOptions {
  readonly config: Config
  readonly demo: boolean
  readonly version: string
  readonly deps: {
    readonly clock: Clock
    /** 0 <= x < 1. */
    readonly random: () => number
    readonly fetch: typeof fetch
    readonly log: Log
  }
}
