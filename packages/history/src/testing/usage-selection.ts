import type { EpochMs } from '@svc/core'
import { piecesOf } from '@svc/core/usage'
import type { Grouping } from '../usage/tiers.ts'
import type { UsageQueries } from '../usage/usage-queries.ts'

const selectionOf = (grouping: Grouping) => ({
  source: grouping === 'api' ? ('client' as const) : grouping,
  groupings: [grouping],
  filter: { members: [] },
})

/** Usage of all members of a grouping, from its sums. */
export function memberUsage(queries: UsageQueries, grouping: Grouping, from: EpochMs, to: EpochMs) {
  const selection = selectionOf(grouping)
  const span = { from, end: to }
  return queries.members(
    selection,
    piecesOf(selection.source, span, { now: to, bucketSeconds: null, ratesUntil: null }),
  )
}

/** Usage of members of a grouping in buckets, from its sums. */
export function bucketUsage(
  queries: UsageQueries,
  grouping: Grouping,
  memberIds: readonly number[],
  {
    from,
    to,
    bucketSeconds,
  }: { readonly from: EpochMs; readonly to: EpochMs; readonly bucketSeconds: number },
) {
  const selection = selectionOf(grouping)
  const asked = { now: to, bucketSeconds, ratesUntil: null }
  const pieces = piecesOf(selection.source, { from, end: to }, asked)
  return queries.buckets(selection, memberIds, pieces, { start: from, bucketSeconds })
}
