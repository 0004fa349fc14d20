import type { PlanKind } from '@svc/core'
import type { MovingWindow } from './moving-windows.ts'

/** One account of the pool: who it is and what it shows at every moment. */
export interface ExampleRow {
  readonly title: string
  readonly authName: string
  readonly authIndex: string
  readonly accountKey: string
  /** Plan as the vendor answers; null where nobody knows it. */
  readonly plan: PlanKind | null
  /** Plan inside the login token, where it is not `plan`. */
  readonly claimedPlan?: PlanKind
  readonly condition: Condition
  readonly sampling: Sampling
  /** Windows an answer lists. */
  readonly windows: readonly MovingWindow[]
  readonly requestsPerSlot: number
  /** Share of the requests that fail, 0..1. */
  readonly failedRatio?: number
}

/** What is the matter with an account of the pool. */
export type Condition =
  | 'active'
  | 'pending'
  | 'degraded'
  | 'ready_unproven'
  | 'used_up'
  | 'spend_reached'
  | 'retry_after'
  | 'cooldown'
  | 'auth_invalid'
  | 'deactivated'
  | 'unavailable'
  | 'disabled'

/** How, and how well, an account's quota is read. */
export type Sampling =
  | 'primary'
  | 'primary_and_headers'
  | 'discovery'
  | 'discovery_and_headers'
  | 'failing'
  | 'refused'
  | 'disabled_probe'
  | 'never'
