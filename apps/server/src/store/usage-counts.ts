import type { UsageGap, UsageTally } from '@svc/core/usage'
import type { Report } from '../metrics/event-counters.ts'

/** Counts what became of usage records. */
export function countUsage({ count }: Pick<Report, 'count'>, tally: UsageTally): void {
  count({ counter: 'usage_rows_ingested_total', by: tally.stored })
  count({ counter: 'usage_rows_duplicate_total', by: tally.duplicate })
  count({ counter: 'usage_rows_quarantined_total', by: tally.quarantined })
  count({ counter: 'usage_rows_expired_total', by: tally.expired })
}

/** Counts the seconds in which usage may have been missed; none where the clock went back. */
export function countGap({ count }: Pick<Report, 'count'>, { from, to }: UsageGap): void {
  count({ counter: 'usage_gap_seconds_total', by: Math.max(0, to - from) / 1000 })
}
