import type { ProxyGeneration } from './management-access.ts'
import type { EpochMs } from './time.ts'

interface SourceRow {
  /** The part of an observation that contains the source's reading. */
  readonly of: 'proxy' | 'service'
  /**
   * Consecutive failures after which the source is bad; null if nothing depends on the source, so that a failure only causes a warning. See
   * docs/rules.md#health.
   */
  readonly badAfterFailures: number | null
  /** True if a failure of the source makes the snapshot partial. See docs/rules.md#snapshot-source. */
  readonly makesPartial: boolean
  /** Whether the source is read separately at each of several proxies. */
  readonly perUpstream: boolean
}

/** One row per watched source, in the order shown by health. */
export const sourceTable = {
  gateway: { of: 'proxy', badAfterFailures: 2, makesPartial: true, perUpstream: true },
  accounts: { of: 'proxy', badAfterFailures: 2, makesPartial: true, perUpstream: true },
  direct_quota: { of: 'proxy', badAfterFailures: 2, makesPartial: true, perUpstream: true },
  usage_statistics: { of: 'proxy', badAfterFailures: 2, makesPartial: false, perUpstream: true },
  // Views that depend on usage report its failure themselves.
  usage: { of: 'proxy', badAfterFailures: null, makesPartial: false, perUpstream: true },
  // Every write the store misses counts.
  history: { of: 'service', badAfterFailures: 1, makesPartial: false, perUpstream: false },
  client_labels: { of: 'proxy', badAfterFailures: null, makesPartial: false, perUpstream: false },
  benchmark: { of: 'proxy', badAfterFailures: null, makesPartial: false, perUpstream: false },
} as const satisfies Readonly<Record<string, SourceRow>>

/** Name of a source; stable, because health and the metrics contain it. */
export type SourceId = keyof typeof sourceTable

/** A source that belongs to a proxy's part of an observation. */
export type ProxySourceId = {
  [Id in SourceId]: (typeof sourceTable)[Id]['of'] extends 'proxy' ? Id : never
}[SourceId]

export const sourceIds = Object.keys(sourceTable) as readonly SourceId[]

export const proxySourceIds: readonly ProxySourceId[] = sourceIds.filter(
  (id): id is ProxySourceId => sourceTable[id].of === 'proxy',
)

/** Reason a source could not be read. A closed list, so that health can advise on each. */
export type SourceFailureCode =
  | 'unreachable'
  | 'timeout'
  | 'tls'
  | 'dns'
  | 'too_large'
  | 'bad_payload'
  | 'redirected'
  | 'throttled'
  | 'server_error'
  | 'management_disabled'
  | 'home'
  | 'unsupported'
  | 'forbidden'
  | 'unauthorized'
  | 'banned'
  | 'no_key'
  | 'blocked_by_vendor'
  | 'unexpected_status'
  | 'file_unreadable'
  | 'file_untrusted'
  | 'store_unavailable'
  | 'clock_doubted'

/** Reason a source is not read: a missing requirement, not configured, switched off, or read by another monitor or through another proxy. */
export type OffReason =
  | 'no_store'
  | 'no_key'
  | 'not_configured'
  | 'switched_off'
  | 'standby'
  | 'asked_elsewhere'

export type SourceOutcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'off'; readonly reason: OffReason }
  | { readonly kind: 'ok'; readonly at: EpochMs }
  | { readonly kind: 'failed'; readonly code: SourceFailureCode; readonly at: EpochMs }

/** The state of one source: its last outcome, and its last good value, which is kept after a failure. */
export interface SourceReading<Value> {
  readonly outcome: SourceOutcome
  readonly failuresInARow: number
  readonly lastGood: { readonly value: Value; readonly at: EpochMs } | null
  /** Address of the source, without user-info, query or fragment; omitted if it has no single address. */
  readonly address?: string
  /** Page on which a person can change the source's data, without user-info, query or fragment; omitted if there is none. */
  readonly pageUrl?: string
  /** Generation of the management API; only for the account list, and omitted before the first one. */
  readonly generation?: ProxyGeneration
}

/** The reading of a source that is off for this reason. */
export function offBecause(reason: OffReason): SourceReading<never> {
  return { outcome: { kind: 'off', reason }, failuresInARow: 0, lastGood: null }
}
