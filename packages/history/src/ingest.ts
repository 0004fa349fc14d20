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

/** When an answer of the proxy came, by our clock and by every other source of time. */
export interface IngestTimes extends TrustedTime, ReceiptTime {}

/** Decodes what the proxy answers. */
export interface UsageDecoder {
  /** What a pop of the queue brought; null unless it is a list. */
  queue(wire: unknown, times: IngestTimes): DecodedUsage | null
  /** The bytes of a legacy tree; null when they are none. */
  tree(chunks: Iterable<Uint8Array>, times: IngestTimes): DecodedTree | null
}

/** Brings answers of the proxy into an open store. Every method rejects with HistoryError when the store cannot be written. */
export interface Ingest {
  /** Stores what pops of the queue brought in one transaction; null, and nothing is stored, unless each brought a list. */
  queue(answers: readonly Uint8Array[], times: IngestTimes): Promise<IngestedUsage | null>
  /** Takes a part of a legacy tree. */
  pushTree(chunk: Uint8Array): void
  /** Forgets what was pushed. */
  dropTree(): void
  /** Stores the tree that was pushed; null when it is none. */
  tree(times: IngestTimes): Promise<IngestedUsage | null>
}

const NO_TALLY: UsageTally = { seen: 0, stored: 0, duplicate: 0, quarantined: 0, expired: 0 }

/** The last tree, so that an unchanged one costs nothing. */
interface LastTree {
  readonly digest: string
  readonly totalRequests: number
  /** What to say of it when it comes again. */
  readonly unchanged: IngestedUsage
}

/** The ingest of one proxy into an open store. */
export function createIngest(
  { usageOf, settleFuture }: Pick<HistoryStore, 'usageOf' | 'settleFuture'>,
  upstream: UpstreamName,
  decoder: UsageDecoder,
): Ingest {
  const usage = usageOf(upstream)
  let pushed = nothingPushed()
  let lastTree: LastTree | null = null

  /** A wrong clock may have left something in the store; it is taken back first. */
  const settle = async ({ falseAfter }: IngestTimes) => {
    if (falseAfter !== null) await settleFuture(falseAfter)
  }

  return {
    async queue(answers, times) {
      const lists = answers.map((answer) => parsed(new TextDecoder().decode(answer)))
      if (!lists.every(Array.isArray)) return null
      const decoded = decoder.queue(lists.flat(), times)
      if (decoded === null) return null
      await settle(times)
      const { batch, ...shown } = decoded
      const tally = await usage.record(batch, positionAt(times, null))
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
        // Nothing has happened since; only that somebody looked is worth keeping.
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

/** A tree that counts less than the last one belongs to another process: what happened between the last look and the restart is gone. */
function restartGap(
  { lastPollAt, treeRequests }: FeedPosition,
  totalRequests: number,
  restartedAt: EpochMs,
): UsageGap | null {
  if (lastPollAt === null || treeRequests === null || totalRequests >= treeRequests) return null
  const to = laterOf(lastPollAt, restartedAt) ?? restartedAt
  return { from: lastPollAt, to, reason: 'proxy_restarted' }
}

/** A clock that is not believed says nothing about when the proxy was last read. */
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

/** Lets go of the chunks one by one, so that a large answer is not held beside what was read of it. */
function* taken(chunks: Uint8Array[]): Generator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk
}

/** The answer as JSON; undefined when it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
