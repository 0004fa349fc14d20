import type { UsageGap, UsageTally } from '@svc/core/usage'
import type { UpstreamReport } from '../metrics/event-counters.ts'

/** Counts what became of usage records. */
export function countUsage({ count }: Pick<UpstreamReport, 'count'>, tally: UsageTally): void {
  count({ counter: 'usage_rows_ingested_total', by: tally.stored })
  count({ counter: 'usage_rows_duplicate_total', by: tally.duplicate })
  count({ counter: 'usage_rows_quarantined_total', by: tally.quarantined })
  count({ counter: 'usage_rows_expired_total', by: tally.expired })
}

/** Shows what has not happened yet as 0, so that its first time is seen as a rise. */
export function countNothing(report: Pick<UpstreamReport, 'count'>): void {
  countUsage(report, { seen: 0, stored: 0, duplicate: 0, quarantined: 0, expired: 0 })
  report.count({ counter: 'usage_gap_seconds_total', by: 0 })
  report.count({ counter: 'usage_rows_missing_total', by: 0 })
}

/** Counts the seconds in which usage may have been missed; none where the clock went back. */
export function countGap(
  { count }: Pick<UpstreamReport, 'count'>,
  { from, to }: Pick<UsageGap, 'from' | 'to'>,
): void {
  count({ counter: 'usage_gap_seconds_total', by: Math.max(0, to - from) / 1000 })
}
