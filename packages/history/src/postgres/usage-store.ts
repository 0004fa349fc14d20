import type { EpochMs } from '@svc/core'
import { leaseOf, type UpstreamName } from '@svc/core/service'
import type { FeedPosition, UsageStore, UsageTally } from '@svc/core/usage'
import { type Feed, feedSteps } from '../sql/feeds.ts'
import { recordGap } from '../sql/gaps.ts'
import type { Meta } from '../sql/meta.ts'
import { mapSteps } from '../sql/steps.ts'
import { refuseNul } from '../usage/refused-names.ts'
import { tallyOf } from '../usage/usage-tally.ts'
import type { Cut } from './cut.ts'
import type { Dictionaries } from './dictionary.ts'
import type { Fence } from './fence.ts'
import type { Partitions } from './partitions.ts'
import { runSteps } from './run-steps.ts'
import type { Session } from './session.ts'
import { storedText } from './stored-text.ts'
import type { PreparedBatch, UsageRows } from './usage-rows.ts'

export interface UsageStoreParts {
  readonly session: Session
  readonly fence: Fence
  readonly meta: Meta
  readonly cut: Cut
  readonly dictionaries: Dictionaries
  readonly rows: UsageRows
  readonly partitions: Pick<Partitions, 'distrust'>
}

/** The usage of one proxy in an open database. Call one method at a time: a statement of another would become part of the transaction. */
export function createUsageStore(
  { session, fence, meta, cut, dictionaries, rows, partitions }: UsageStoreParts,
  upstream: UpstreamName,
): UsageStore {
  const feed = mapSteps<Feed>(feedSteps(upstream, fence.condition), (steps) =>
    runSteps(session, steps),
  )
  /** Deletes the gap that another monitor recorded on taking over, because the records were stored after all. */
  const takeBackInterrupted = async (upstreamId: number, markedAt: EpochMs) => {
    await session.run(
      `DELETE FROM svc_quota_monitor.gaps WHERE upstream_id = $1 AND to_ms = $2 AND reason = 'stopped_before_commit'`,
      [upstreamId, markedAt],
    )
  }
  const transaction = async <Result>(work: (upstreamId: number) => Promise<Result>) => {
    const upstreamId = (await dictionaries.upstreams.idsOf([upstream])).get(upstream) ?? 0
    return session.transaction('write', () => work(upstreamId))
  }
  /** Runs a decision about the proxy, which only the holder of its lease may make. */
  const decision = <Result>(work: (upstreamId: number) => Promise<Result>) =>
    transaction(async (upstreamId) => {
      const result = await work(upstreamId)
      await fence.demand(leaseOf(upstream))
      return result
    })
  return {
    async record(batch, position, markedAt) {
      try {
        const prepared = await rows.prepare(refuseNul(batch), { upstream, cut: await cut.read() })
        return await session.transaction('write', async () => {
          const tally = await recordBatch({ meta, cut, rows, feed }, prepared, position)
          if (markedAt !== undefined) await takeBackInterrupted(prepared.upstreamId, markedAt)
          return tally
        })
      } catch (error) {
        // Another monitor may have dropped a day known here.
        partitions.distrust()
        throw error
      }
    },
    markPop: (at) => decision(async (upstreamId) => void (await feed.setPopMark(upstreamId, at))),
    clearPop: () => decision(async (upstreamId) => void (await feed.setPopMark(upstreamId, null))),
    recordGap: (gap) => decision((upstreamId) => feed.endPop(upstreamId, gap)),
    recordMissing: (requestCount, gap) =>
      decision(async (upstreamId) => {
        await runSteps(session, recordGap(upstreamId, gap))
        await meta.add({ missing: requestCount })
      }),
    async nameAccounts(titles) {
      const ids = await dictionaries.accounts.idsOf(titles.keys())
      await session.transaction('write', () => renameAccounts(session, ids, titles))
    },
    endInterruptedPop: () => decision(feed.endInterruptedPop),
    position: feed.position,
  }
}

async function recordBatch(
  {
    meta,
    cut,
    rows,
    feed,
  }: Pick<UsageStoreParts, 'meta' | 'cut' | 'rows'> & { readonly feed: Feed },
  prepared: PreparedBatch,
  position: FeedPosition | undefined,
): Promise<UsageTally> {
  const { batch, upstreamId } = prepared
  const tally = tallyOf(batch, await rows.add(prepared, await cut.keep()))
  await meta.add({ ...tally, saturated: batch.saturatedCount })
  await meta.set({ last_write_ms: batch.receivedAt })
  await rows.quarantine(batch.quarantined, { upstreamId, at: batch.receivedAt })
  await feed.setPopMark(upstreamId, null)
  if (position !== undefined) {
    const { lastPollAt } = position
    // The history is watched since the first poll of any proxy.
    if (lastPollAt !== null) await meta.setFirst({ first_poll_ms: lastPollAt })
    // Records of a replaced monitor are still valid; the position belongs to its successor.
    await feed.moveTo(upstreamId, position)
  }
  return tally
}

/** Stores changed titles of accounts. Call inside a transaction. Rejects with HistoryError. */
async function renameAccounts(
  session: Session,
  ids: ReadonlyMap<string, number>,
  titles: ReadonlyMap<string, string>,
): Promise<void> {
  const named = [...titles].flatMap(([key, title]) => {
    const id = ids.get(key)
    return id === undefined ? [] : [{ id, title: storedText(title) }]
  })
  const values = [named.map(({ id }) => id), named.map(({ title }) => title)]
  const from = 'unnest($1::int[], $2::text[]) AS new (id, title)'
  // Ordered, so that two monitors with the same names lock the rows in the same order.
  const changed = await session.rows(
    `SELECT a.id FROM svc_quota_monitor.accounts a JOIN ${from} ON new.id = a.id WHERE a.title <> new.title ORDER BY a.id FOR UPDATE OF a`,
    values,
  )
  if (changed.length === 0) return
  await session.run(
    `UPDATE svc_quota_monitor.accounts a SET title = new.title FROM ${from} WHERE a.id = new.id AND a.title <> new.title`,
    values,
  )
}
