import type { RefreshState, Trends } from '@svc/core/service'
import type { UsageReading } from '@svc/core/usage'
import type { Wording } from '../messages/wording.ts'

/** What a payload needs besides the snapshot. */
export interface ViewContext {
  readonly text: Wording
}

/** What a payload that also shows usage needs. */
export interface UsageContext extends ViewContext {
  readonly usage: UsageReading
  readonly trends: Trends
}

/** What the status needs. */
export interface StatusContext extends UsageContext {
  readonly refresh: RefreshState
}
