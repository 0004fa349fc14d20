import type { FakeManagement } from './management-gate.ts'

/** What an operator can change while the proxy runs. */
export interface FakeSettings {
  managementKey: string
  management: FakeManagement
  version: string
  /** False plays a proxy before v6.9.10. */
  healthz: boolean
  usageStatisticsEnabled: boolean
  /** How usage is offered: the queue since v6.10.8, the tree before v6.10.0, neither in between. */
  usage: 'queue' | 'legacy' | 'none'
  /** How long the queue keeps records that nobody takes. */
  queueRetentionSeconds: number
  /** How far the proxy's clock is ahead, in milliseconds. */
  clockAheadMs: number
}
