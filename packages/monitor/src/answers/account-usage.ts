import type { EpochMs } from '@svc/core'
import type { UsageQuery, UsageReader, UsageRow } from '@svc/core/usage'

/** Usage by account, over the spans of a 24 h and a 7 d chart; ids are account keys. */
export interface UsageByAccount {
  /** Since when usage is kept; null if none is yet. */
  readonly since: EpochMs | null
  readonly lastDay: readonly UsageRow[]
  readonly lastWeek: readonly UsageRow[]
}

const BY_ACCOUNT = {
  group: 'total',
  metric: 'tokens',
  top: Number.POSITIVE_INFINITY,
} as const satisfies Omit<UsageQuery, 'range'>

export async function usageByAccount(
  reader: Pick<UsageReader, 'series'>,
  now: EpochMs,
): Promise<UsageByAccount> {
  // What is stored meanwhile may be in the week alone, never in the day alone.
  const day = await reader.series({ ...BY_ACCOUNT, range: '24h' }, now)
  const week = await reader.series({ ...BY_ACCOUNT, range: '7d' }, now)
  return {
    since: week.coverage.since,
    lastDay: day.breakdown.rows,
    lastWeek: week.breakdown.rows,
  }
}
