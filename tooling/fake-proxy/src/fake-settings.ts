import type { FakeManagement } from './management-gate.ts'

/** A plugin as the proxy lists it. */
export interface FakePlugin {
  readonly id: string
  readonly enabled: boolean
  /** Null before it is loaded. */
  readonly metadata: { readonly name: string; readonly version: string } | null
}

export const fakeGenerations = ['v6', 'v7', 'v8', 'v8-only', 'home'] as const
export type FakeGeneration = (typeof fakeGenerations)[number]

/** Settings that an operator can change while the proxy runs. */
export interface FakeSettings {
  /**
   * Management API: `v6` and `v7` have v0 alone, `v8` has both, `v8-only` has v8 alone, `home` is a Home, which has v0. Everything of v8 and of a Home is written from known facts, not from
   * a recording.
   */
  generation: FakeGeneration
  managementKey: string
  management: FakeManagement
  version: string
  /** Value of `X-CPA-SUPPORT-PLUGIN`; null for a build from before plugins, which does not send it. */
  pluginSupport: '0' | '1' | null
  /** Whether the proxy loads plugins, and its plugin list; written from known facts, not from a recording. */
  pluginsEnabled: boolean
  plugins: readonly FakePlugin[]
  /** False simulates a proxy before v6.9.10. */
  healthz: boolean
  usageStatisticsEnabled: boolean
  /** The section of a v8 configuration about usage, where it differs from the two settings; null if it is absent. */
  usageSection?: Readonly<Record<string, unknown>> | null
  /** False simulates an early v8 proxy, which has the quota of plugins under v0 alone. */
  quotaFetchUnderV8: boolean
  /** Whether RESP is answered: a Home refuses it, and before v6.9.38 there was none. */
  resp: 'open' | 'refused' | 'none'
  /** Form in which usage is offered: the queue since v6.10.8, the tree before v6.10.0, neither in between. */
  usage: 'queue' | 'legacy' | 'none'
  /** Seconds the queue keeps unread records. */
  queueRetentionSeconds: number
  /** Minimum seconds between two granted quota queries of one account, by provider, where they differ from the vendor's. */
  readonly vendorSecondsApart: Record<string, number>
  /** True simulates a proxy with `quota/fetch`, newer than v7.2.140. */
  quotaFetch: boolean
  /** True simulates a proxy whose list has the last quota headers, newer than v7.2.140. */
  quotaSignals: boolean
  /** True simulates a proxy whose list has cooldowns, newer than v7.2.140. */
  cooldowns: boolean
  /** The proxy's clock minus ours, in milliseconds. */
  clockAheadMs: number
}
