import type { EpochMs } from '@svc/core'
import { leaseOf, type UpstreamName } from '@svc/core/service'
import type { FeedPosition, UsageStore } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import type { WaitingSums } from '../usage/waiting-sums.ts'
import { type Connection, namesOf, select } from './connection.ts'
import { recordGap } from './coverage.ts'
import type { Engine } from './engine.ts'
import { createFeed, type Feed } from './feeds.ts'
import { addCounts, setMeta, setMetaOnce } from './meta.ts'
import {
  addBatch,
  boundsOfStore,
  type PreparedBatch,
  prepareBatch,
  quarantine,
  refuseNul,
  tallyOf,
} from './usage-rows.ts'

/** The usage of one proxy in an open store. Call one method at a time. */
export function createUsageStore(
  engine: Engine,
  upstream: UpstreamName,
  waiting: WaitingSums,
): UsageStore {
  const { db, fence, names, rows } = engine
  const feed = createFeed(db, upstream, fence.condition)
  /** Runs a decision about the proxy, which only the holder of its lease may make. */
  const decision = async <Result>(work: (upstreamId: number) => Promise<Result>) => {
    const upstreamId = (await names.upstreams.idsOf([upstream])).get(upstream) ?? 0
    return db.transaction('write', async () => {
      const result = await work(upstreamId)
      await fence.demand(leaseOf(upstream))
      return result
    })
  }
  return {
    async record(batch, position, markedAt, onStored) {
      try {
        const { cut } = await boundsOfStore(db)
        const prepared = await prepareBatch(engine, refuseNul(batch), { upstream, cut })
        const { tally, stored, ratesUntil } = await db.transaction('write', async () => {
          if (markedAt !== undefined) await takeBackInterrupted(db, prepared.upstreamId, markedAt)
          return recordBatch(engine, feed, prepared, position)
        })
        waiting.add(stored, ratesUntil)
        onStored?.(stored.map(({ detail }) => detail))
        return tally
      } catch (error) {
        // Another monitor may have dropped a day known here.
        rows.distrust()
        throw error
      }
    },
    markPop: (at) => decision(async (upstreamId) => void (await feed.setPopMark(upstreamId, at))),
    clearPop: () => decision(async (upstreamId) => void (await feed.setPopMark(upstreamId, null))),
    recordGap: (gap) => decision((upstreamId) => feed.endPop(upstreamId, gap)),
    recordMissing: (requestCount, gap) =>
      decision(async (upstreamId) => {
        await recordGap(db, upstreamId, gap)
        await addCounts(db, { missing: requestCount })
      }),
    async nameAccounts(titles) {
      const ids = await names.accounts.idsOf(titles.keys())
      await db.transaction('write', () => renameAccounts(db, ids, titles))
    },
    endInterruptedPop: () => decision(feed.endInterruptedPop),
    stand: (since) => decision(() => feed.stand(since)),
    standingSince: feed.standingSince,
    position: feed.position,
  }
}

async function recordBatch(
  engine: Pick<Engine, 'db' | 'rows' | 'lockCut'>,
  feed: Feed,
  prepared: PreparedBatch,
  position: FeedPosition | undefined,
) {
  const { db } = engine
  const { batch, upstreamId } = prepared
  await engine.lockCut('moving')
  const bounds = await boundsOfStore(db)
  const { stored, expired } = await addBatch(engine, prepared, bounds)
  const tally = tallyOf(batch, { stored: stored.length, expired })
  await addCounts(db, { ...tally, saturated: batch.saturatedCount })
  await setMeta(db, { last_write_ms: batch.receivedAt })
  await quarantine(db, batch.quarantined, { upstreamId, at: batch.receivedAt })
  await feed.setPopMark(upstreamId, null)
  if (position !== undefined) {
    const { lastPollAt } = position
    // The history is watched since the first poll of any proxy.
    if (lastPollAt !== null) await setMetaOnce(db, { first_poll_ms: lastPollAt })
    // Records of a replaced monitor are still valid; the position belongs to its successor.
    await feed.moveTo(upstreamId, position)
  }
  return { tally, stored, ratesUntil: bounds.ratesUntil }
}

/**
 * Deletes the gap that another monitor recorded when it took over, because the records were stored after all. While the mark of this pop stands, nobody
 * has: a gap with the same end is of an earlier pop, which a restart within the second may repeat. Call before the mark is cleared.
 */
async function takeBackInterrupted(
  db: Connection,
  upstreamId: number,
  markedAt: EpochMs,
): Promise<void> {
  const { feeds, gaps } = db.tables
  await db.run(
    sql`DELETE FROM ${gaps} WHERE ${gaps.upstreamId} = ${upstreamId} AND ${gaps.toMs} = ${markedAt} AND ${gaps.reason} = 'stopped_before_commit'
     AND NOT EXISTS (SELECT 1 FROM ${feeds} WHERE ${feeds.upstreamId} = ${upstreamId} AND ${feeds.popMarkMs} = ${markedAt})`,
  )
}

/** Accounts whose titles are compared by one statement. */
const TITLES_AT_ONCE = 500

/** Stores changed titles of accounts. Call inside a transaction. */
async function renameAccounts(
  db: Connection,
  ids: ReadonlyMap<string, number>,
  titles: ReadonlyMap<string, string>,
): Promise<void> {
  const { accounts } = db.tables
  // Ordered, so that two monitors with the same names lock the rows in the same order.
  const named = [...titles]
    .flatMap(([key, title]) => {
      const id = ids.get(key)
      return id === undefined ? [] : [{ id, title }]
    })
    .sort((one, other) => one.id - other.id)
  for (let start = 0; start < named.length; start += TITLES_AT_ONCE) {
    const part = named.slice(start, start + TITLES_AT_ONCE)
    const those = sql`WHERE ${accounts.id} IN ${part.map(({ id }) => id)}`
    const stored = new Map<number, string>(
      (await select(db, accounts, ['id', 'title'], those)).map(({ id, title }) => [id, title]),
    )
    for (const { id, title } of part)
      if (stored.get(id) !== title)
        await db.run(
          sql`UPDATE ${accounts} SET ${namesOf(accounts.title)} = ${title} WHERE ${accounts.id} = ${id} AND ${accounts.title} <> ${title}`,
        )
  }
}
