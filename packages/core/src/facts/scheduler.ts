import { type EpochMs, MINUTE_MS } from './time.ts'
import type { UpstreamName } from './upstream.ts'

/** The plugin of a proxy that routes by the ranking, by its last question to this process. */
export interface Scheduler {
  /** The proxy that it named; left out where it named none. */
  readonly upstream?: UpstreamName
  readonly version: string
  readonly askedAt: EpochMs
}

/** True while it asks. It does so every 30 s at least, and not at all after five minutes without requests. */
export function isAsking({ askedAt }: Scheduler, now: EpochMs): boolean {
  return now - askedAt <= MINUTE_MS
}
