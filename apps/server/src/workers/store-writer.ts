import { createHash } from 'node:crypto'
import { type AccountDirectory, decodeQueue, decodeTree, noAccounts } from '@svc/collector'
import {
  type AccountActivity,
  type DecodedTree,
  type EpochMs,
  type FeedPosition,
  type IngestedUsage,
  noteActivity,
  type PoolRecord,
  plusMs,
  type UsageBatch,
  type UsageGap,
  type UsageTally,
} from '@svc/core'
import { type HistoryStore, openHistory, type PoolMemoryUpdate, type RetentionPlan } from '@svc/history'
import { serveCalls } from './serve-calls.ts'
import type { AnswerTimes, ForgettingReport, MaintenanceReport, OpenedStore } from './store-writer-calls.ts'

/** What forgetting old rows may take at a time, so that usage never waits long. */
const FORGETTING_MS = 50
/** Rows of a transaction: fewer where one takes long, more where it takes no time. */
const FORGOTTEN_ROWS_MIN = 100
const FORGOTTEN_ROWS_MAX = 4_000
const LONG_STEP_MS = 20
const DAY_MS = 86_400_000
const CHANGES_SHOWN = 50
/** A week to judge by, and a week before it to forecast from. */
const BURN_DAYS = 15
const NO_TALLY: UsageTally = { seen: 0, stored: 0, duplicate: 0, quarantined: 0, expired: 0 }

let store: HistoryStore | null = null
let directory: AccountDirectory = noAccounts
let forgottenRows = FORGOTTEN_ROWS_MIN
/** A tree on its way: its bytes so far, and what tells it from the last one. */
let tree = emptyTree()
let lastTree: (Pick<DecodedTree, 'totalRequests' | 'totals'> & { readonly digest: string; readonly elementCount: number }) | null = null

serveCalls({
  open(path: string, now: EpochMs, { isFirst, thorough }: { readonly isFirst: boolean; readonly thorough: boolean }): OpenedStore {
    store?.close()
    store = null
    lastTree = null
    const opened = openHistory(path, { thorough })
    try {
      // A mark that this very process has left belongs to a batch that still waits in its memory.
      const interrupted = isFirst ? opened.usage.endInterruptedPop() : null
      const { isNew, newestRecordAt, forgottenAsOf } = opened.facts()
      store = opened
      return {
        isNew,
        newestRecordAt,
        forgottenAsOf,
        interrupted,
        lastPollAt: opened.usage.position().lastPollAt,
        remembered: isFirst ? opened.quota.remembered() : null,
        changes: opened.quota.changes(CHANGES_SHOWN),
        readings: opened.quota.latestReadings(),
        points: opened.quota.points(plusMs(now, -DAY_MS)),
        burnHours: opened.quota.burnHours(plusMs(now, -BURN_DAYS * DAY_MS)),
      }
    } catch (error) {
      opened.close()
      throw error
    }
  },
  close() {
    store?.close()
    store = null
  },
  useAccounts(next: AccountDirectory) {
    directory = next
    store?.usage.nameAccounts(next.titleByKey)
  },
  markPop: (at: EpochMs) => openStore().usage.markPop(at),
  clearPop: () => openStore().usage.clearPop(),
  recordGap: (gap: UsageGap) => openStore().usage.recordGap(gap),
  recordMissing: (requestCount: number, gap: UsageGap) => openStore().usage.recordMissing(requestCount, gap),
  storeQueue(answer: Uint8Array, times: AnswerTimes): IngestedUsage | null {
    const decoded = decodeQueue(parsed(new TextDecoder().decode(answer)), decodeContext(times))
    if (decoded === null) return null
    const { batch, ...shown } = decoded
    return { ...shown, gap: null, totals: null, tally: storeAt(times).usage.record(batch, positionAt(times, null)) }
  },
  pushTree(chunk: Uint8Array) {
    tree.chunks.push(chunk)
    tree.digest.update(chunk)
  },
  dropTree() {
    tree = emptyTree()
  },
  storeTree: (times: AnswerTimes): IngestedUsage | null => storeTree(times),
  recordPool: (record: PoolRecord, memory: PoolMemoryUpdate | null) => openStore().quota.record(record, memory ?? undefined),
  forget(plan: RetentionPlan, asOf: EpochMs): ForgettingReport {
    const opened = openStore()
    const endMs = performance.now() + FORGETTING_MS - LONG_STEP_MS
    let more = true
    for (let startedMs = performance.now(); more && startedMs < endMs; ) {
      more = opened.retain(plan, { asOf, rowsMax: forgottenRows })
      const endedMs = performance.now()
      forgottenRows = Math.min(
        FORGOTTEN_ROWS_MAX,
        Math.max(FORGOTTEN_ROWS_MIN, endedMs - startedMs > LONG_STEP_MS ? forgottenRows / 2 : forgottenRows * 2),
      )
      startedMs = endedMs
    }
    return { more, backlogMs: opened.backlogMs(plan, asOf) }
  },
  maintain(now: EpochMs): MaintenanceReport {
    const opened = openStore()
    opened.checkpoint()
    const { walBytes, newestRecordAt, forgottenAsOf } = opened.facts()
    return { walBytes, newestRecordAt, forgottenAsOf, missedMs: opened.usage.missedMs(plusMs(now, -DAY_MS), now) }
  },
})

function openStore(): HistoryStore {
  if (store === null) throw Object.assign(new Error('the store is not open'), { code: 'cannot_open' })
  return store
}

/** The store, with what a wrong clock has left in it taken back. */
function storeAt({ falseAfter }: AnswerTimes): HistoryStore {
  const opened = openStore()
  if (falseAfter !== null) opened.settleFuture(falseAfter)
  return opened
}

function decodeContext({ receivedAt, latest, certain }: AnswerTimes) {
  return { directory, receivedAt, latestAt: latest, certainAt: certain }
}

/** A clock that is not believed says nothing about when the proxy was last read. */
function positionAt({ doubt, usageAt }: AnswerTimes, treeRequests: number | null): FeedPosition | undefined {
  return doubt === null ? { lastPollAt: usageAt, treeRequests } : undefined
}

function storeTree(times: AnswerTimes): IngestedUsage | null {
  const { usage } = storeAt(times)
  const { receivedAt, usageAt } = times
  const { chunks } = tree
  const digest = tree.digest.digest('hex')
  tree = emptyTree()
  if (lastTree?.digest === digest) {
    // Nothing has happened since; only that somebody looked is worth keeping.
    usage.record(emptyBatch(receivedAt), positionAt(times, lastTree.totalRequests))
    return {
      elementCount: lastTree.elementCount,
      listedCount: 0,
      activity: [],
      newestAt: null,
      gap: null,
      totals: lastTree.totals,
      tally: NO_TALLY,
    }
  }
  const decoded = decodeTree(taken(chunks), decodeContext(times))
  if (decoded === null) return null
  const { totalRequests, totals, parts } = decoded
  let tally = NO_TALLY
  let elementCount = 0
  let oldestAt: EpochMs | null = null
  let newestAt: EpochMs | null = null
  const activity = new Map<string, AccountActivity>()
  // A transaction for each part; the tree is still there if the rest fails.
  for (const part of parts) {
    tally = sumOf(tally, usage.record(part.batch))
    elementCount += part.elementCount
    oldestAt = part.batch.details.reduce<EpochMs | null>((oldest, { at }) => (oldest === null || at < oldest ? at : oldest), oldestAt)
    if (part.newestAt !== null) newestAt = later(newestAt ?? part.newestAt, part.newestAt)
    for (const account of part.activity) noteActivity(activity, account)
  }
  const { lastPollAt, treeRequests } = usage.position()
  const restarted = lastPollAt !== null && treeRequests !== null && totalRequests < treeRequests
  // What happened between the last look and the restart is gone with the old tree.
  const gap: UsageGap | null = restarted
    ? { from: lastPollAt, to: later(lastPollAt, oldestAt ?? usageAt), reason: 'proxy_restarted' }
    : null
  if (gap !== null) usage.recordGap(gap)
  usage.record(emptyBatch(receivedAt), positionAt(times, totalRequests))
  lastTree = { digest, elementCount, totalRequests, totals }
  return { elementCount, listedCount: 0, activity: [...activity.values()], newestAt, gap, totals, tally }
}

function later(one: EpochMs, other: EpochMs): EpochMs {
  return one > other ? one : other
}

function emptyTree() {
  const chunks: Uint8Array[] = []
  return { chunks, digest: createHash('sha256') }
}

function emptyBatch(receivedAt: EpochMs): UsageBatch {
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
