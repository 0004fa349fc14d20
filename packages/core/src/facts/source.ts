import type { EpochMs } from './time.ts'

/** What health makes of a source. */
interface SourceRow {
  /** It is bad after this many failures in a row; null where nothing depends on it, so that it warns at most. See docs/rules.md#health. */
  readonly badAfterFailures: number | null
}

/** What is watched, in the order in which health lists it. */
export const sourceTable = {
  gateway: { badAfterFailures: 2 },
  accounts: { badAfterFailures: 2 },
  direct_quota: { badAfterFailures: 2 },
  usage_statistics: { badAfterFailures: 2 },
  // What depends on usage says so where it is shown.
  usage: { badAfterFailures: null },
  // Every write that the store misses counts.
  history: { badAfterFailures: 1 },
  client_labels: { badAfterFailures: null },
  benchmark: { badAfterFailures: null },
} as const satisfies Readonly<Record<string, SourceRow>>

export type SourceId = keyof typeof sourceTable

/** Every source, in the order in which health lists them. */
export const sourceIds = Object.keys(sourceTable) as readonly SourceId[]

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

/** Why a source is not asked: what it needs is missing, nothing was configured for it, or somebody switched it off. */
export type OffReason = 'no_store' | 'no_key' | 'not_configured' | 'switched_off'

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
