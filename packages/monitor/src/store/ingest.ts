import { createHash } from 'node:crypto'
import { type AccountDirectory, decodeQueue, decodeTree, noAccounts } from '@svc/collector'
import type { EpochMs } from '@svc/core'
import type { ReceiptTime, TrustedTime, UpstreamName } from '@svc/core/service'
import {
  createUsageIncrements,
  type FeedPosition,
  type IngestedUsage,
  laterOf,
  type PricedBy,
  type UsageBatch,
  type UsageGap,
  type UsageIncrements,
  type UsageStore,
  type UsageTally,
} from '@svc/core/usage'
import type { HistoryStore } from '@svc/history'

/** Time of an answer of the proxy by our clock and all other time sources. */
export interface IngestTimes extends TrustedTime, ReceiptTime {}

/** Outcome of an answer of the proxy, with the increments that its records are for counters. */
export interface CountedAnswer extends IngestedUsage {
  readonly increments: UsageIncrements
}

/** State of one proxy between its answers. */
interface IngestState {
  directory: AccountDirectory
  pushed: ReturnType<typeof nothingPushed>
  /** Sums of stored records that no answer has handed over, those of a tree that was stored in part among them. */
  readonly increments: ReturnType<typeof createUsageIncrements>
  /** The last tree; the same tree in the same store is not processed again. */
  lastTree: {
    readonly store: IngestStore
    readonly digest: string
    readonly totalRequests: number
    /** Result to return when the same tree comes again. */
    readonly unchanged: IngestedUsage
  } | null
}

type OnStored = ReturnType<typeof createUsageIncrements>['add']
type IngestStore = Pick<HistoryStore, 'usageOf' | 'settleFuture'>

const NO_TALLY: UsageTally = { seen: 0, stored: 0, duplicate: 0, quarantined: 0, expired: 0 }
const NOTHING_NEW = { activity: [], oldestAt: null, newestAt: null, gap: null, tally: NO_TALLY }

/** Calls of the writing thread that store answers of the proxies. `open` returns the open store or throws. Each rejects with HistoryError if the store cannot be written. */
export function createIngest(open: () => IngestStore, pricedBy: PricedBy) {
  const states = new Map<UpstreamName, IngestState>()
  const stateOf = (upstream: UpstreamName): IngestState => {
    const known = states.get(upstream)
    if (known !== undefined) return known
    const increments = createUsageIncrements(pricedBy)
    const state = { directory: noAccounts, pushed: nothingPushed(), increments, lastTree: null }
    states.set(upstream, state)
    return state
  }

  return {
    async useAccounts(upstream: UpstreamName, directory: AccountDirectory) {
      stateOf(upstream).directory = directory
    },
    /** Stores the answer of a pop in one transaction; null, with nothing stored, unless it is a list. */
    async storeQueue(
      upstream: UpstreamName,
      answer: Uint8Array,
      times: IngestTimes,
    ): Promise<CountedAnswer | null> {
      const store = open()
      const { increments, directory } = stateOf(upstream)
      const decoded = decodeQueue(answer, { ...times, directory })
      if (decoded === null) return null
      const { batch, ...facts } = decoded
      await settle(store, times)
      const position = positionAt(times, null)
      const usage = store.usageOf(upstream)
      const tally = await usage.record(batch, position, times.markedAt, increments.add)
      return { ...facts, tally, totals: null, gap: null, increments: increments.take() }
    },
    pushTree(upstream: UpstreamName, chunk: Uint8Array) {
      const { chunks, digest } = stateOf(upstream).pushed
      chunks.push(chunk)
      digest.update(chunk)
    },
    dropTree(upstream: UpstreamName) {
      stateOf(upstream).pushed = nothingPushed()
    },
    /** Stores the pushed tree; null if it is not one. */
    async storeTree(upstream: UpstreamName, times: IngestTimes): Promise<CountedAnswer | null> {
      const state = stateOf(upstream)
      const { pushed, directory, increments, lastTree } = state
      state.pushed = nothingPushed()
      const store = open()
      const usage = store.usageOf(upstream)
      const digest = pushed.digest.digest('hex')
      await settle(store, times)
      if (lastTree?.digest === digest && lastTree.store === store) {
        // Only the time of the poll is stored.
        await usage.record(emptyBatch(times), positionAt(times, lastTree.totalRequests))
        return { ...lastTree.unchanged, increments: increments.take() }
      }
      const tree = decodeTree(taken(pushed.chunks), { ...times, directory })
      if (tree === null) return null
      const ingested = await storeParts(usage, tree, { times, onStored: increments.add })
      const unchanged = { ...ingested, ...NOTHING_NEW }
      state.lastTree = { store, digest, totalRequests: tree.totalRequests, unchanged }
      return { ...ingested, increments: increments.take() }
    },
  }
}

/** Removes traces of a wrong clock. */
async function settle(store: IngestStore, { falseAfter }: IngestTimes): Promise<void> {
  if (falseAfter !== null) await store.settleFuture(falseAfter)
}

async function storeParts(
  usage: UsageStore,
  { batches, facts, totalRequests, totals }: NonNullable<ReturnType<typeof decodeTree>>,
  { times, onStored }: { readonly times: IngestTimes; readonly onStored: OnStored },
): Promise<IngestedUsage> {
  let tally = NO_TALLY
  // A transaction for each part; the tree is still there if the rest fails.
  for (const batch of batches) {
    const recorded = await usage.record(batch, undefined, undefined, onStored)
    tally = sumOf(tally, recorded)
  }
  const found = facts()
  const restartedAt = found.oldestAt ?? times.usageAt
  const gap = restartGap(await usage.position(), totalRequests, restartedAt)
  if (gap !== null) await usage.recordGap(gap)
  await usage.record(emptyBatch(times), positionAt(times, totalRequests))
  return { ...found, tally, totals, gap }
}

/** The gap before a restart of the proxy, shown by a tree that counts less than the last one: requests since the last poll are lost. */
function restartGap(
  { lastPollAt, treeRequests }: FeedPosition,
  totalRequests: number,
  restartedAt: EpochMs,
): UsageGap | null {
  if (lastPollAt === null || treeRequests === null || totalRequests >= treeRequests) return null
  const to = laterOf(lastPollAt, restartedAt) ?? restartedAt
  return { from: lastPollAt, to, reason: 'proxy_restarted' }
}

/** The position to store; none if the clock is doubted, because it cannot date the poll. */
function positionAt(
  { doubt, usageAt }: IngestTimes,
  treeRequests: number | null,
): FeedPosition | undefined {
  return doubt === null ? { lastPollAt: usageAt, treeRequests } : undefined
}

function nothingPushed() {
  const chunks: Uint8Array[] = []
  return { chunks, digest: createHash('sha256') }
}

function emptyBatch({ receivedAt }: IngestTimes): UsageBatch {
  return { receivedAt, details: [], quarantined: [], saturatedCount: 0 }
}

function sumOf(one: UsageTally, other: UsageTally): UsageTally {
  return {
    seen: one.seen + other.seen,
    stored: one.stored + other.stored,
    duplicate: one.duplicate + other.duplicate,
    quarantined: one.quarantined + other.quarantined,
    expired: one.expired + other.expired,
  }
}

/** Yields and frees the chunks one by one, so that a large answer is not held beside its decoded form. */
function* taken(chunks: Uint8Array[]): Generator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk
}
