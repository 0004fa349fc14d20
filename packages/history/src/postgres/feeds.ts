import { type EpochMs, epochMs } from '@svc/core'
import type { FeedPosition } from '@svc/core/usage'
import type { Session } from './session.ts'

/** How far the records of one proxy have been read. What writes is called inside a transaction. */
export interface Feed {
  position(): Promise<FeedPosition>
  /** What is null stays as it was. */
  moveTo(upstreamId: number, position: FeedPosition): Promise<void>
  /** When records were about to be taken out; null when that has ended. */
  popMark(): Promise<EpochMs | null>
  setPopMark(upstreamId: number, at: EpochMs | null): Promise<void>
}

interface FeedRow {
  readonly last_poll_ms: number | null
  readonly pop_mark_ms: number | null
  readonly tree_requests: number | null
}

export function createFeed(session: Session, upstream: string): Feed {
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
      await session.run(
        `INSERT INTO svc_quota_monitor.feeds AS f (upstream_id, last_poll_ms, tree_requests) VALUES ($1, $2, $3)
         ON CONFLICT (upstream_id) DO UPDATE SET last_poll_ms = coalesce(excluded.last_poll_ms, f.last_poll_ms),
           tree_requests = coalesce(excluded.tree_requests, f.tree_requests)`,
        [upstreamId, lastPollAt, treeRequests],
      )
    },
    popMark: async () => instantOf((await row())?.pop_mark_ms),
    async setPopMark(upstreamId, at) {
      await session.run(
        `INSERT INTO svc_quota_monitor.feeds (upstream_id, pop_mark_ms) VALUES ($1, $2)
         ON CONFLICT (upstream_id) DO UPDATE SET pop_mark_ms = excluded.pop_mark_ms`,
        [upstreamId, at],
      )
    },
  }
}

function instantOf(value: number | null | undefined): EpochMs | null {
  return value == null ? null : epochMs(value)
}
