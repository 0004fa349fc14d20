import type { EpochMs } from './time.ts'

/** What is watched. */
export type SourceId =
  | 'gateway'
  | 'accounts'
  | 'direct_quota'
  | 'usage_statistics'
  | 'usage'
  | 'history'
  | 'client_labels'
  | 'benchmark'

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
