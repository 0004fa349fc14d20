import { createHash } from 'node:crypto'
import type { EpochMs } from '@svc/core'
import type { ReceiptTime, TrustedTime, UpstreamName } from '@svc/core/service'
import {
  type AccountActivity,
  type DecodedTree,
  type DecodedUsage,
  type FeedPosition,
  type IngestedUsage,
  laterOf,
  noteActivity,
  type UsageBatch,
  type UsageGap,
  type UsageStore,
  type UsageTally,
} from '@svc/core/usage'
import type { HistoryStore } from './contract/history-store.ts'

/** Time of an answer of the proxy by our clock and all other time sources. */
export interface IngestTimes extends TrustedTime, ReceiptTime {}

export interface UsageDecoder {
  /** Decodes a pop of the queue; null unless it is a list. */
  queue(wire: unknown, times: IngestTimes): DecodedUsage | null
  /** Decodes the bytes of a legacy tree; null if they are not one. */
  tree(chunks: Iterable<Uint8Array>, times: IngestTimes): DecodedTree | null
}

/** Stores answers of the proxy. Every method rejects with HistoryError if the store cannot be written. */
export interface Ingest {
  /** Stores the answers of pops in one transaction; null, with nothing stored, unless each is a list. */
  queue(answers: readonly Uint8Array[], times: IngestTimes): Promise<IngestedUsage | null>
  pushTree(chunk: Uint8Array): void
  dropTree(): void
  /** Stores the pushed tree; null if it is not one. */
  tree(times: IngestTimes): Promise<IngestedUsage | null>
}

const NO_TALLY: UsageTally = { seen: 0, stored: 0, duplicate: 0, quarantined: 0, expired: 0 }

/** The last tree, so that an unchanged one costs nothing. */
interface LastTree {
  readonly digest: string
  readonly totalRequests: number
  /** Result for the same tree when it comes again. */
  readonly unchanged: IngestedUsage
}

/** Creates the ingest of one proxy. */
export function createIngest(
  { usageOf, settleFuture }: Pick<HistoryStore, 'usageOf' | 'settleFuture'>,
  upstream: UpstreamName,
  decoder: UsageDecoder,
): Ingest {
  const usage = usageOf(upstream)
  let pushed = nothingPushed()
  let lastTree: LastTree | null = null

  /** Removes traces of a wrong clock first. */
  const settle = async ({ falseAfter }: IngestTimes) => {
    if (falseAfter !== null) await settleFuture(falseAfter)
  }

  return {
    async queue(answers, times) {
      const lists = answers.map((answer) => parse(new TextDecoder().decode(answer)))
      if (!lists.every(Array.isArray)) return null
      const decoded = decoder.queue(lists.flat(), times)
      if (decoded === null) return null
      await settle(times)
      const { batch, ...shown } = decoded
      const tally = await usage.record(batch, positionAt(times, null), times.markedAt)
      return { ...shown, gap: null, totals: null, tally }
    },
    pushTree(chunk) {
      pushed.chunks.push(chunk)
      pushed.digest.update(chunk)
    },
    dropTree() {
      pushed = nothingPushed()
    },
    async tree(times) {
      const { chunks } = pushed
      const digest = pushed.digest.digest('hex')
      pushed = nothingPushed()
      await settle(times)
      if (lastTree?.digest === digest) {
        // An unchanged tree: only the time of the poll is stored.
        await usage.record(emptyBatch(times), positionAt(times, lastTree.totalRequests))
        return lastTree.unchanged
      }
      const decoded = decoder.tree(taken(chunks), times)
      if (decoded === null) return null
      const { totalRequests } = decoded
      const stored = await storeTree(usage, decoded, times)
      const unchanged = { ...stored, activity: [], newestAt: null, gap: null, tally: NO_TALLY }
      lastTree = { digest, totalRequests, unchanged }
      return stored
    },
  }
}

async function storeTree(
  usage: UsageStore,
  { parts, totalRequests, totals }: DecodedTree,
  times: IngestTimes,
): Promise<IngestedUsage> {
  let tally = NO_TALLY
  let elementCount = 0
  let oldestAt: EpochMs | null = null
  let newestAt: EpochMs | null = null
  const activity = new Map<string, AccountActivity>()
  // A transaction for each part; the tree is still there if the rest fails.
  for (const part of parts) {
    tally = sumOf(tally, await usage.record(part.batch))
    elementCount += part.elementCount
    for (const { at } of part.batch.details) if (oldestAt === null || at < oldestAt) oldestAt = at
    newestAt = laterOf(newestAt, part.newestAt)
    for (const account of part.activity) noteActivity(activity, account)
  }
  const gap = restartGap(await usage.position(), totalRequests, oldestAt ?? times.usageAt)
  if (gap !== null) await usage.recordGap(gap)
  await usage.record(emptyBatch(times), positionAt(times, totalRequests))
  return {
    elementCount,
    listedCount: 0,
    activity: [...activity.values()],
    newestAt,
    gap,
    totals,
    tally,
  }
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

/** The parsed answer; undefined if it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
