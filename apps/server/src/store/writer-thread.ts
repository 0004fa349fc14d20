import { type AccountDirectory, decodeQueue, decodeTree, noAccounts } from '@svc/collector'
import { type EpochMs, plusMs } from '@svc/core'
import {
  createIngest,
  type HistoryStore,
  type Ingest,
  type IngestTimes,
  openHistory,
} from '@svc/history'
import { inTurn } from '../threads/in-turn.ts'
import { createForgetSlot } from './forget-slot.ts'
import type { OpenedStore, WriterApi } from './store-threads.ts'

const DAY_MS = 86_400_000
const CHANGES_REMEMBERED = 500
/** One week to judge the forecast by, and the week before it to forecast from. */
const BURN_DAYS = 15

/** The methods of the writing thread. */
export function createWriterThread(): WriterApi {
  let opened: { readonly store: HistoryStore; readonly ingest: Ingest } | null = null
  let directory: AccountDirectory = noAccounts
  const decoder = decoderWith(() => directory)
  const forget = createForgetSlot(() => performance.now())

  const open = (): NonNullable<typeof opened> => {
    if (opened === null)
      throw Object.assign(new Error('the store is not open'), { code: 'cannot_open' })
    return opened
  }
  const close = async () => {
    const closing = opened?.store
    opened = null
    await closing?.close()
  }

  return inTurn<WriterApi>({
    async open({ path, now, isFirst, thorough }) {
      await close()
      const store = await openHistory(path, { thorough })
      try {
        // A mark that this very process has left belongs to a batch that still waits in its memory.
        const interrupted = isFirst ? await store.usage.endInterruptedPop() : null
        opened = { store, ingest: createIngest(store, decoder) }
        return { interrupted, ...(await heldIn(store, now, isFirst)) }
      } catch (error) {
        opened = null
        await store.close()
        throw error
      }
    },
    close,
    async useAccounts(next) {
      directory = next
      await opened?.store.usage.nameAccounts(next.titleByKey)
    },
    markPop: async (at) => open().store.usage.markPop(at),
    clearPop: async () => open().store.usage.clearPop(),
    recordGap: async (gap) => open().store.usage.recordGap(gap),
    recordMissing: async (requestCount, gap) => open().store.usage.recordMissing(requestCount, gap),
    storeQueue: async (answer, times) => open().ingest.queue(answer, times),
    // No answer goes back for a part of a tree: the call that stores the tree fails where no store is open.
    pushTree: (chunk) => opened?.ingest.pushTree(chunk),
    dropTree: () => opened?.ingest.dropTree(),
    storeTree: async (times) => open().ingest.tree(times),
    recordPool: async (record, memory) => open().store.quota.record(record, memory ?? undefined),
    forget: async (plan, asOf) => forget(open().store, plan, asOf),
    async maintain(now) {
      const { store } = open()
      await store.checkpoint()
      const { engine, newestRecordAt, forgottenAsOf } = await store.facts()
      return {
        engine,
        newestRecordAt,
        forgottenAsOf,
        missedMs: await store.missedMs(plusMs(now, -DAY_MS), now),
      }
    },
  })
}

/** What the store tells the pipeline when it is opened; what it remembers of accounts only once. */
async function heldIn(
  store: HistoryStore,
  now: EpochMs,
  isFirst: boolean,
): Promise<Omit<OpenedStore, 'interrupted'>> {
  const { isNew, engine, newestRecordAt, forgottenAsOf } = await store.facts()
  return {
    isNew,
    engine,
    newestRecordAt,
    forgottenAsOf,
    lastPollAt: (await store.usage.position()).lastPollAt,
    remembered: isFirst ? await store.quota.remembered() : null,
    changes: await store.quota.changes(CHANGES_REMEMBERED),
    readings: await store.quota.latestReadings(),
    points: await store.quota.points(plusMs(now, -DAY_MS)),
    burnHours: await store.quota.burnHours(plusMs(now, -BURN_DAYS * DAY_MS)),
  }
}

/** Decodes by the accounts that are known when an answer is stored. */
function decoderWith(directory: () => AccountDirectory) {
  const contextOf = ({ receivedAt, latest, certain }: IngestTimes) => ({
    directory: directory(),
    receivedAt,
    latestAt: latest,
    certainAt: certain,
  })
  return {
    queue: (wire: unknown, times: IngestTimes) => decodeQueue(wire, contextOf(times)),
    tree: (chunks: Iterable<Uint8Array>, times: IngestTimes) =>
      decodeTree(chunks, contextOf(times)),
  }
}
