import type { EpochMs } from './time.ts'

/** What health and the snapshot make of a source. */
interface SourceRow {
  /** The half of an observation that carries its reading. */
  readonly of: 'proxy' | 'service'
  /** It is bad after this many failures in a row; null where nothing depends on it, so that it warns at most. See docs/rules.md#health. */
  readonly badAfterFailures: number | null
  /** While it fails, the snapshot is partial. See docs/rules.md#snapshot-source. */
  readonly makesPartial: boolean
  /** Each of several proxies has one of its own. */
  readonly perUpstream: boolean
}

/** A row for each thing that is watched, in the order in which health lists them. */
export const sourceTable = {
  gateway: { of: 'proxy', badAfterFailures: 2, makesPartial: true, perUpstream: true },
  accounts: { of: 'proxy', badAfterFailures: 2, makesPartial: true, perUpstream: true },
  direct_quota: { of: 'proxy', badAfterFailures: 2, makesPartial: true, perUpstream: true },
  usage_statistics: { of: 'proxy', badAfterFailures: 2, makesPartial: false, perUpstream: true },
  // What depends on usage says so where it is shown.
  usage: { of: 'proxy', badAfterFailures: null, makesPartial: false, perUpstream: true },
  // Every write that the store misses counts.
  history: { of: 'service', badAfterFailures: 1, makesPartial: false, perUpstream: false },
  client_labels: { of: 'proxy', badAfterFailures: null, makesPartial: false, perUpstream: false },
  benchmark: { of: 'proxy', badAfterFailures: null, makesPartial: false, perUpstream: false },
} as const satisfies Readonly<Record<string, SourceRow>>

/** Name of a source; stable, as health and the metrics show it. */
export type SourceId = keyof typeof sourceTable

/** A source whose reading is part of what is observed of the proxy. */
export type ProxySourceId = {
  [Id in SourceId]: (typeof sourceTable)[Id]['of'] extends 'proxy' ? Id : never
}[SourceId]

/** Every source, in the order in which health lists them. */
export const sourceIds = Object.keys(sourceTable) as readonly SourceId[]

/** Every source of the proxy's half. */
export const proxySourceIds: readonly ProxySourceId[] = sourceIds.filter(
  (id): id is ProxySourceId => sourceTable[id].of === 'proxy',
)

/** Why a source could not be read. Closed, so that health can say what to do about each. */
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
  | 'unsupported'
  | 'forbidden'
  | 'unauthorized'
  | 'banned'
  | 'no_key'
  | 'blocked_by_vendor'
  | 'unexpected_status'
  | 'file_unreadable'
  | 'store_unavailable'
  | 'clock_doubted'

/** Why a source is not asked: what it needs is missing, nothing was configured for it, somebody switched it off, or another monitor asks. */
export type OffReason = 'no_store' | 'no_key' | 'not_configured' | 'switched_off' | 'standby'

/** What the last attempt at a source brought. */
export type SourceOutcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'off'; readonly reason: OffReason }
  | { readonly kind: 'ok'; readonly at: EpochMs }
  | { readonly kind: 'failed'; readonly code: SourceFailureCode; readonly at: EpochMs }

/** One source: its last outcome, and the last good value, which a failure never takes away. */
export interface SourceReading<Value> {
  readonly outcome: SourceOutcome
  readonly failuresInARow: number
  readonly lastGood: { readonly value: Value; readonly at: EpochMs } | null
}

/** A source that is not asked, and why. */
export function offBecause(reason: OffReason): SourceReading<never> {
  return { outcome: { kind: 'off', reason }, failuresInARow: 0, lastGood: null }
}
