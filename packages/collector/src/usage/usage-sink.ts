import type { EpochMs } from '@svc/core'
import type { ReceiptTime, SourceFailureCode } from '@svc/core/service'
import type { FeedPosition, IngestedUsage, UsageGap } from '@svc/core/usage'
import { SourceError } from '../polling/source-error.ts'
import type { ManagementGate } from '../proxy/management-access.ts'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import type { AccountDirectory } from './account-directory.ts'

/** Reasons why no usage is taken. `standby`: another monitor takes it. */
export type SinkRefusal =
  | Extract<SourceFailureCode, 'store_unavailable' | 'clock_doubted'>
  | 'standby'

/** Decodes and stores the proxy's answers in another thread. Promises resolve once the data is stored durably, and reject with SourceError if it is not; the store itself reports the cause. */
export interface UsageSink {
  /** Reason why no records may be taken out of the proxy now; null if they may. */
  refusal(): SinkRefusal | null
  /** The time on the clock of usage; every instant given to the sink is on this clock, except `receivedAt`. */
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
  /** Notes the begin of a connection over which records may come at any moment; null once it has ended. */
  stand(since: EpochMs | null): Promise<void>
  /** Begin of a noted connection whose reader has died; null without one. */
  standingSince(): Promise<EpochMs | null>
  recordGap(gap: UsageGap): Promise<void>
  /** Records requests that the proxy counted but never gave us. */
  recordMissing(requestCount: number, gap: UsageGap): Promise<void>
  /** Stores the answer of a pop; null if it is not a list. The caller keeps the bytes. */
  storeQueue(answer: Uint8Array, time: ReceiptTime): Promise<IngestedUsage | null>
  /** Opens a sink for one legacy tree. */
  openTree(): TreeSink
}

/** Takes the bytes of one legacy tree, chunk by chunk. */
export interface TreeSink {
  /** Takes bytes and transfers them, so the caller can no longer use them. */
  push(chunk: Uint8Array): void
  /** Stores the tree; null if the bytes are not a tree. */
  store(time: ReceiptTime): Promise<IngestedUsage | null>
  /** Drops the pushed bytes. */
  drop(): void
}

/** The parts that move usage from the proxy to the store. */
export interface UsageWay {
  readonly client: UpstreamClient
  readonly gate: Pick<ManagementGate, 'call'>
  readonly sink: UsageSink
  /** Called with the usage of each answer once it is on disk. `emptied`: the queue had no more records. */
  readonly onUsage: (usage: IngestedUsage, emptied: boolean) => void
}

/** See docs/limits.md#calls-to-the-proxy. */
const USAGE_SECONDS = 30

/** Sends one call about usage when the gate allows it. */
export function callForUsage<Value>(
  { gate }: Pick<UsageWay, 'gate'>,
  limits: Pick<ManagementCall, 'stop' | 'bytesMax'>,
  send: (call: ManagementCall) => Promise<Value>,
): Promise<Value> {
  return gate.call((key) => send({ ...limits, key, seconds: USAGE_SECONDS }))
}

const REFUSALS = {
  store_unavailable: 'the history store cannot take usage now',
  clock_doubted: 'the clock of this machine cannot be trusted now',
  standby: 'another monitor takes usage now',
} as const satisfies Readonly<Record<SinkRefusal, string>>

/** The error of a feed that stops because the sink refuses records. */
export function refusedBySink(why: SinkRefusal): SourceError {
  return new SourceError(why === 'standby' ? 'store_unavailable' : why, REFUSALS[why])
}
