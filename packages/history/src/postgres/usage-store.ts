import { leaseOf, type UpstreamName } from '@svc/core/service'
import type { FeedPosition, UsageGap, UsageStore, UsageTally } from '@svc/core/usage'
import { refuseNul } from '../usage/refused-names.ts'
import { interruptedPop, tallyOf } from '../usage/usage-tally.ts'
import type { Cut } from './cut.ts'
import type { Dictionaries } from './dictionary.ts'
import { createFeed, type Feed } from './feeds.ts'
import type { Fence } from './fence.ts'
import type { Meta } from './meta.ts'
import type { Partitions } from './partitions.ts'
import { renameAccounts } from './rename-accounts.ts'
import type { Session } from './session.ts'
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

/** The usage of one proxy in an open database. One method at a time: a question of another would become part of the transaction. */
export function createUsageStore(
  { session, fence, meta, cut, dictionaries, rows, partitions }: UsageStoreParts,
  upstream: UpstreamName,
): UsageStore {
  const feed = createFeed(session, fence, upstream)
  const insertGap = async (upstreamId: number, { from, to, reason }: UsageGap) => {
    await session.run(
      'INSERT INTO svc_quota_monitor.gaps (upstream_id, from_ms, to_ms, reason) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [upstreamId, from, to, reason],
    )
  }
  const endPopInGap = async (upstreamId: number, gap: UsageGap) => {
    await insertGap(upstreamId, gap)
    await feed.setPopMark(upstreamId, null)
  }
  /** With the number of the proxy. */
  const transaction = async <Result>(work: (upstreamId: number) => Promise<Result>) => {
    const upstreamId = (await dictionaries.upstreams.idsOf([upstream])).get(upstream) ?? 0
    return session.transaction('write', () => work(upstreamId))
  }
  /** A decision about the proxy, which only the monitor may make that acts for it. */
  const decision = <Result>(work: (upstreamId: number) => Promise<Result>) =>
    transaction(async (upstreamId) => {
      const result = await work(upstreamId)
      await fence.demand(leaseOf(upstream))
      return result
    })
  return {
    async record(batch, position) {
      try {
        const prepared = await rows.prepare(refuseNul(batch), { upstream, cut: await cut.read() })
        return await session.transaction('write', () =>
          recordBatch({ meta, cut, rows, feed }, prepared, position),
        )
      } catch (error) {
        // Another monitor may have forgotten a day that was known here.
        partitions.distrust()
        throw error
      }
    },
    markPop: (at) => decision(async (upstreamId) => void (await feed.setPopMark(upstreamId, at))),
    clearPop: () => decision(async (upstreamId) => void (await feed.setPopMark(upstreamId, null))),
    recordGap: (gap) => decision((upstreamId) => endPopInGap(upstreamId, gap)),
    recordMissing: (requestCount, gap) =>
      decision(async (upstreamId) => {
        await insertGap(upstreamId, gap)
        await meta.add({ missing: requestCount })
      }),
    async nameAccounts(titles) {
      const ids = await dictionaries.accounts.idsOf(titles.keys())
      await session.transaction('write', () => renameAccounts(session, ids, titles))
    },
    endInterruptedPop: () =>
      decision(async (upstreamId) => {
        const poppedAt = await feed.popMark()
        if (poppedAt === null) return null
        const gap = interruptedPop(poppedAt, (await feed.position()).lastPollAt)
        await endPopInGap(upstreamId, gap)
        return gap
      }),
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
    // Since when the history is watched: since the first poll of any proxy.
    if (lastPollAt !== null) await meta.setFirst({ first_poll_ms: lastPollAt })
    // The records of a monitor that has been replaced are as good as any; how far the proxy is read is the business of the other.
    await feed.moveTo(upstreamId, position)
  }
  return tally
}
