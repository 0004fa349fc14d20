import { type EpochMs, epochMs } from '@svc/core'
import { leaseOf } from '@svc/core/service'
import type { FeedPosition } from '@svc/core/usage'
import type { Fence } from './fence.ts'
import type { Session } from './session.ts'

/** Position and pop mark of one proxy's records. Call writing methods inside a transaction. */
export interface Feed {
  position(): Promise<FeedPosition>
  /** Stores a position; null keeps the old value. False, with nothing changed, if the lease is not ours. */
  moveTo(upstreamId: number, position: FeedPosition): Promise<boolean>
  /** Time of the pop under way; null if none is. */
  popMark(): Promise<EpochMs | null>
  /** False, with nothing changed, if the lease is not ours. */
  setPopMark(upstreamId: number, at: EpochMs | null): Promise<boolean>
}

interface FeedRow {
  readonly last_poll_ms: number | null
  readonly pop_mark_ms: number | null
  readonly tree_requests: number | null
}

export function createFeed(session: Session, fence: Fence, upstream: string): Feed {
  const lease = leaseOf(upstream)
  const row = async () => {
    const [found] = await session.rows<FeedRow>(
      `SELECT last_poll_ms, pop_mark_ms, tree_requests FROM svc_quota_monitor.feeds f
       JOIN svc_quota_monitor.upstreams u ON u.id = f.upstream_id WHERE u.name = $1`,
      [upstream],
    )
    return found
  }
  return {
    async position() {
      const found = await row()
      return {
        lastPollAt: instantOf(found?.last_poll_ms),
        treeRequests: found?.tree_requests ?? null,
      }
    },
    async moveTo(upstreamId, { lastPollAt, treeRequests }) {
      const held = fence.condition(lease, 4)
      const stored = await session.run(
        `INSERT INTO svc_quota_monitor.feeds AS f (upstream_id, last_poll_ms, tree_requests)
         SELECT $1::smallint, $2::bigint, $3::bigint WHERE ${held.sql}
         ON CONFLICT (upstream_id) DO UPDATE SET last_poll_ms = coalesce(excluded.last_poll_ms, f.last_poll_ms),
           tree_requests = coalesce(excluded.tree_requests, f.tree_requests)`,
        [upstreamId, lastPollAt, treeRequests, ...held.values],
      )
      return stored > 0
    },
    popMark: async () => instantOf((await row())?.pop_mark_ms),
    async setPopMark(upstreamId, at) {
      const held = fence.condition(lease, 3)
      const stored = await session.run(
        `INSERT INTO svc_quota_monitor.feeds (upstream_id, pop_mark_ms)
         SELECT $1::smallint, $2::bigint WHERE ${held.sql}
         ON CONFLICT (upstream_id) DO UPDATE SET pop_mark_ms = excluded.pop_mark_ms`,
        [upstreamId, at, ...held.values],
      )
      return stored > 0
    },
  }
}

function instantOf(value: number | null | undefined): EpochMs | null {
  return value == null ? null : epochMs(value)
}
