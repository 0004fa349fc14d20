import type { EpochMs } from '@svc/core'
import type { ReceiptTime, SourceFailureCode } from '@svc/core/service'
import type { FeedPosition, IngestedUsage, UsageGap } from '@svc/core/usage'
import type { AccountDirectory } from './account-directory.ts'

/** `standby`: another monitor takes it. */
export type UsageRefusal =
  | Extract<SourceFailureCode, 'store_unavailable' | 'clock_doubted'>
  | 'standby'

/** Takes answers of the proxy, decodes and stores them somewhere else. Whatever resolves is stored for good; whatever rejects is not. */
export interface UsageSink {
  /** Why nothing may be taken out of the proxy now; null when it may. */
  refusal(): UsageRefusal | null
  /** The time by the clock that dates usage. Every instant given to the sink is dated by it, except `receivedAt`. */
  now(): EpochMs
  position(): Pick<FeedPosition, 'lastPollAt'>
  /** Calls `listener` whenever storing has become possible. */
  onReady(listener: () => void): void
  useAccounts(directory: AccountDirectory): void
  /** Labels of clients from now on, by API name. */
  useLabels(labels: ReadonlyMap<string, string>): void
  /** Notes that records are about to be taken out of the proxy. */
  markPop(at: EpochMs): Promise<void>
  /** Notes that nothing was taken out after all. */
  clearPop(): Promise<void>
  recordGap(gap: UsageGap): Promise<void>
  /** Counts requests that the proxy has counted and did not hand to us. */
  recordMissing(requestCount: number, gap: UsageGap): Promise<void>
  /** Stores what pops of the queue brought, all of it or nothing; null when one of them brought no list. `time` is of the last. The bytes stay the caller's. */
  storeQueue(answers: readonly Uint8Array[], time: ReceiptTime): Promise<IngestedUsage | null>
  /** Begins to take a legacy tree. */
  openTree(): TreeSink
}

/** Takes the bytes of one legacy tree, chunk by chunk. */
export interface TreeSink {
  /** Takes the bytes away. */
  push(chunk: Uint8Array): void
  /** Stores the tree; null when it is none. */
  store(time: ReceiptTime): Promise<IngestedUsage | null>
  /** Forgets what was pushed. */
  drop(): void
}
