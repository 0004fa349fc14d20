import { type EpochMs, epochMs } from '@svc/core'
import { leaseOf, type UpstreamName } from '@svc/core/service'
import { type FeedPosition, laterOf, type UsageGap } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { interruptedPop } from '../usage/usage-tally.ts'
import { recordGap } from './gaps.ts'
import { type Held, rows, run, type Steps, type StepsOf } from './steps.ts'

/** Position and pop mark of one proxy's records. Call writing methods inside a transaction. */
export interface Feed {
  position(): Promise<FeedPosition>
  /** Stores a position; null keeps the old value. False, with nothing changed, if the lease is not ours. */
  moveTo(upstreamId: number, position: FeedPosition): Promise<boolean>
  /** Time of the pop under way; null if none is. */
  popMark(): Promise<EpochMs | null>
  /** False, with nothing changed, if the lease is not ours. */
  setPopMark(upstreamId: number, at: EpochMs | null): Promise<boolean>
  /** Ends the pop under way in a gap, up to which the feed moves. */
  endPop(upstreamId: number, gap: UsageGap): Promise<void>
  /** Ends a pop during which the process died in a gap; null without one. */
  endInterruptedPop(upstreamId: number): Promise<UsageGap | null>
}

interface FeedRow {
  readonly last_poll_ms: number | null
  readonly pop_mark_ms: number | null
  readonly tree_requests: number | null
}

export function feedSteps(upstream: UpstreamName, held: Held): StepsOf<Feed> {
  const lease = leaseOf(upstream)
  const feed: StepsOf<Feed> = {
    *position() {
      const found = yield* readFeed(upstream)
      return {
        lastPollAt: instantOf(found?.last_poll_ms),
        treeRequests: found?.tree_requests ?? null,
      }
    },
    *moveTo(upstreamId, { lastPollAt, treeRequests }) {
      const stored = yield* run(
        sql`INSERT INTO svc_quota_monitor.feeds AS f (upstream_id, last_poll_ms, tree_requests)
         SELECT CAST(${upstreamId} AS smallint), CAST(${lastPollAt} AS bigint), CAST(${treeRequests} AS bigint) WHERE ${held(lease)}
         ON CONFLICT (upstream_id) DO UPDATE SET last_poll_ms = coalesce(excluded.last_poll_ms, f.last_poll_ms),
           tree_requests = coalesce(excluded.tree_requests, f.tree_requests)`,
      )
      return stored > 0
    },
    *popMark() {
      return instantOf((yield* readFeed(upstream))?.pop_mark_ms)
    },
    *setPopMark(upstreamId, at) {
      const stored = yield* run(
        sql`INSERT INTO svc_quota_monitor.feeds (upstream_id, pop_mark_ms)
         SELECT CAST(${upstreamId} AS smallint), CAST(${at} AS bigint) WHERE ${held(lease)}
         ON CONFLICT (upstream_id) DO UPDATE SET pop_mark_ms = excluded.pop_mark_ms`,
      )
      return stored > 0
    },
    *endPop(upstreamId, gap) {
      yield* recordGap(upstreamId, gap)
      yield* feed.setPopMark(upstreamId, null)
      const lastPollAt = laterOf((yield* feed.position()).lastPollAt, gap.to)
      yield* feed.moveTo(upstreamId, { lastPollAt, treeRequests: null })
    },
    *endInterruptedPop(upstreamId) {
      const poppedAt = yield* feed.popMark()
      if (poppedAt === null) return null
      const gap = interruptedPop(poppedAt, (yield* feed.position()).lastPollAt)
      yield* feed.endPop(upstreamId, gap)
      return gap
    },
  }
  return feed
}

function* readFeed(upstream: UpstreamName): Steps<FeedRow | undefined> {
  const [found] = yield* rows<FeedRow>(
    sql`SELECT last_poll_ms, pop_mark_ms, tree_requests FROM svc_quota_monitor.feeds
     WHERE upstream_id = (SELECT id FROM svc_quota_monitor.upstreams WHERE name = ${upstream})`,
  )
  return found
}

function instantOf(value: number | null | undefined): EpochMs | null {
  return value == null ? null : epochMs(value)
}
