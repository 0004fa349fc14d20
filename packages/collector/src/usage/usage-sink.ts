import type { EpochMs } from '@svc/core'
import type { ReceiptTime, SourceFailureCode } from '@svc/core/service'
import type { FeedPosition, IngestedUsage, UsageGap } from '@svc/core/usage'
import type { AccountDirectory } from './account-directory.ts'

/** Reasons why no usage is taken. `standby`: another monitor takes it. */
export type UsageRefusal =
  | Extract<SourceFailureCode, 'store_unavailable' | 'clock_doubted'>
  | 'standby'

/**
 * Decodes and stores the proxy's answers in another thread. Resolved means stored durably; rejected means not stored.
 */
export interface UsageSink {
  /** Reason why no records may be taken out of the proxy now; null if they may. */
  refusal(): UsageRefusal | null
  /** The time by the clock of usage, which dates every instant given to the sink except `receivedAt`. */
  now(): EpochMs
  /** Time up to which the proxy's records were read or counted as missed. */
  position(): Pick<FeedPosition, 'lastPollAt'>
  /** Calls `listener` whenever storing becomes possible. */
  onReady(listener: () => void): void
  useAccounts(directory: AccountDirectory): void
  /** Replaces the client labels, by API name. */
  useLabels(labels: ReadonlyMap<string, string>): void
  /** Notes that records are about to be taken out of the proxy. */
  markPop(at: EpochMs): Promise<void>
  /** Notes that no records were taken out after all. */
  clearPop(): Promise<void>
  recordGap(gap: UsageGap): Promise<void>
  /** Records requests that the proxy counted but never gave us. */
  recordMissing(requestCount: number, gap: UsageGap): Promise<void>
  /** Stores the answers of pops, all or none; null if one is not a list. `time` belongs to the last answer. The caller keeps the bytes. */
  storeQueue(answers: readonly Uint8Array[], time: ReceiptTime): Promise<IngestedUsage | null>
  /** Opens a sink for one legacy tree. */
  openTree(): TreeSink
}

/** Takes the bytes of one legacy tree, chunk by chunk. */
export interface TreeSink {
  /** Takes bytes; transfers them, so that the caller loses them. */
  push(chunk: Uint8Array): void
  /** Stores the tree; null if it is not one. */
  store(time: ReceiptTime): Promise<IngestedUsage | null>
  /** Drops the pushed bytes. */
  drop(): void
}
