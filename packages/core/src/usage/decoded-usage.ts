import type { QuotaSample } from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UsageBatch, UsageGap, UsageTally } from './usage-detail.ts'

/** What usage records say about one account besides its usage. */
export interface AccountActivity {
  readonly accountKey: string
  /** By the proxy's clock. */
  readonly lastSuccessAt: EpochMs | null
  /** Newest quota that came with an answer; its time is by the proxy's clock. */
  readonly sample: QuotaSample | null
}

/** An answer of the proxy, decoded. */
export interface DecodedUsage {
  readonly batch: UsageBatch
  /** Elements of the answer, also those that are not records. */
  readonly elementCount: number
  /** Records of credentials that the account list shows: all but API keys of the proxy's configuration. */
  readonly listedCount: number
  readonly activity: readonly AccountActivity[]
  /** When the newest of the details began, by the proxy's clock; null when there are none. */
  readonly newestAt: EpochMs | null
}

/** What a legacy tree has counted since the proxy started. */
export interface TreeTotals {
  readonly success: number
  readonly failed: number
  readonly tokens: number
}

/** A whole legacy tree. */
export interface DecodedTree {
  /** Requests it has counted. */
  readonly totalRequests: number
  /** The rest of what it has counted; null where it does not say. */
  readonly totals: TreeTotals | null
  /** What it holds, a part at a time; to be walked once. */
  readonly parts: Iterable<DecodedUsage>
}

/** What became of an answer of the proxy. */
export interface IngestedUsage extends Omit<DecodedUsage, 'batch'> {
  readonly tally: UsageTally
  /** What a tree has counted; null of a queue, and where it does not say. */
  readonly totals: TreeTotals | null
  /** What the answer shows to have been missed; null for nothing. */
  readonly gap: UsageGap | null
}

/** Adds what is newer about an account to what is known. */
export function noteActivity(
  knownByAccount: Map<string, AccountActivity>,
  { accountKey, lastSuccessAt, sample }: AccountActivity,
): void {
  const known = knownByAccount.get(accountKey)
  knownByAccount.set(accountKey, {
    accountKey,
    lastSuccessAt: laterOf(known?.lastSuccessAt ?? null, lastSuccessAt),
    sample: newerOf(known?.sample ?? null, sample),
  })
}

/** The later of two instants, where both are known. */
export function laterOf(one: EpochMs | null, other: EpochMs | null): EpochMs | null {
  if (one === null || other === null) return one ?? other
  return other > one ? other : one
}

function newerOf(one: QuotaSample | null, other: QuotaSample | null): QuotaSample | null {
  if (one === null || other === null) return one ?? other
  return other.sampledAt >= one.sampledAt ? other : one
}
