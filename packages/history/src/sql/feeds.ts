import { type EpochMs, epochMs } from '@svc/core'
import { leaseOf, type UpstreamName } from '@svc/core/service'
import { type FeedPosition, laterOf, type UsageGap } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { instantOf } from '../pool/quota-rows.ts'
import { type Connection, type Held, insert, namesOf, renewed, select } from './connection.ts'
import { recordGap } from './coverage.ts'
import { interruptedPop } from './usage-rows.ts'

export type Feed = ReturnType<typeof createFeed>

/** Position of one proxy's records, and the mark of a pop under way. Call writing methods inside a transaction. */
export function createFeed(db: Connection, upstream: UpstreamName, held: Held) {
  const { feeds, meta, upstreams } = db.tables
  const standingName = `standing_since_ms:${upstream}`
  const lease = leaseOf(upstream)
  const read = async () => {
    const fields = ['lastPollMs', 'popMarkMs', 'treeRequests'] as const
    const own = sql`SELECT ${upstreams.id} FROM ${upstreams} WHERE ${upstreams.name} = ${upstream}`
    const [found] = await select(db, feeds, fields, sql`WHERE ${feeds.upstreamId} = (${own})`)
    return found
  }
  const feed = {
    async position(): Promise<FeedPosition> {
      const found = await read()
      return {
        lastPollAt: instantOf(found?.lastPollMs),
        treeRequests: found?.treeRequests ?? null,
      }
    },
    /** Stores a position; a null field keeps its old value. False, with nothing changed, if the lease is not ours. */
    async moveTo(upstreamId: number, { lastPollAt, treeRequests }: FeedPosition): Promise<boolean> {
      const stored = await db.run(
        sql`INSERT INTO ${feeds} AS f (${namesOf(feeds.upstreamId, feeds.lastPollMs, feeds.treeRequests)})
         SELECT CAST(${upstreamId} AS smallint), CAST(${lastPollAt} AS bigint), CAST(${treeRequests} AS bigint) WHERE ${held(lease)}
         ON CONFLICT (upstream_id) DO UPDATE SET last_poll_ms = coalesce(excluded.last_poll_ms, f.last_poll_ms),
           tree_requests = coalesce(excluded.tree_requests, f.tree_requests)`,
      )
      return stored > 0
    },
    /** Time of the pop under way; null if none is. */
    async popMark(): Promise<EpochMs | null> {
      return instantOf((await read())?.popMarkMs)
    },
    /** Sets the time of the pop under way; null removes it. False, with nothing changed, if the lease is not ours. */
    async setPopMark(upstreamId: number, at: EpochMs | null): Promise<boolean> {
      const stored = await db.run(
        sql`INSERT INTO ${feeds} (${namesOf(feeds.upstreamId, feeds.popMarkMs)})
         SELECT CAST(${upstreamId} AS smallint), CAST(${at} AS bigint) WHERE ${held(lease)}
         ON CONFLICT (upstream_id) DO UPDATE SET ${renewed(feeds.popMarkMs)}`,
      )
      return stored > 0
    },
    /** Notes the begin of a standing connection; null once it has ended. Earlier versions ignore it. */
    async stand(since: EpochMs | null): Promise<void> {
      await db.run(sql`DELETE FROM ${meta} WHERE ${meta.name} = ${standingName}`)
      if (since !== null)
        await insert(db, meta, [{ name: standingName, value: String(since) }], sql`DO NOTHING`)
    },
    async standingSince(): Promise<EpochMs | null> {
      const [found] = await select(db, meta, ['value'], sql`WHERE ${meta.name} = ${standingName}`)
      return found === undefined ? null : epochMs(Number(found.value))
    },
    /** Ends the pop under way by recording a gap, and moves the feed to the end of the gap. */
    async endPop(upstreamId: number, gap: UsageGap): Promise<void> {
      await recordGap(db, upstreamId, gap)
      await feed.setPopMark(upstreamId, null)
      const lastPollAt = laterOf((await feed.position()).lastPollAt, gap.to)
      await feed.moveTo(upstreamId, { lastPollAt, treeRequests: null })
    },
    /** Ends a pop during which the process died, by recording and returning its gap; null if there was no such pop. */
    async endInterruptedPop(upstreamId: number): Promise<UsageGap | null> {
      const poppedAt = await feed.popMark()
      if (poppedAt === null) return null
      const gap = interruptedPop(poppedAt, (await feed.position()).lastPollAt)
      await feed.endPop(upstreamId, gap)
      return gap
    },
  }
  return feed
}
