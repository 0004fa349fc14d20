import type { Snapshot } from '@svc/core'
import type { Trends, TrendsByProvider } from '@svc/core/pool'
import type { RefreshState } from '@svc/core/service'
import type { UsageReading } from '@svc/core/usage'
import type { Wording } from '../messages/wording.ts'

/** Inputs of a payload in addition to the snapshot. */
export interface ViewContext {
  readonly text: Wording
}

/** Inputs of a payload that also shows usage. */
export interface UsageContext extends ViewContext {
  readonly usage: UsageReading
  /** Trends of the snapshot's default pool. */
  readonly trends: Trends
  /** Trends of every provider's pool; none if omitted. */
  readonly trendsByProvider?: TrendsByProvider
  /** Publication that the snapshot is a part of, with the same pools; omitted for the publication itself. */
  readonly whole?: { readonly snapshot: Snapshot; readonly context: UsageContext }
}

/** Inputs of the status, which also shows the manual refresh. */
export interface StatusContext extends UsageContext {
  readonly refresh: RefreshState
  /** Version of the program; omitted where there is none. */
  readonly version?: string
}
