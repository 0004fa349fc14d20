import { type QuotaSample, withPassiveSample } from '../facts/reading.ts'
import type { VerdictMessage } from '../facts/status-message.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UsageGap, UsageTally } from './usage-detail.ts'

/** A failed request that was the account's fault. */
export interface UsageRefusal {
  /** By the proxy's clock. */
  readonly at: EpochMs
  readonly message: VerdictMessage
}

/** Facts about one auth file found in usage records, other than its usage. */
export interface AccountActivity {
  readonly accountKey: string
  /** The proxy's index of the file, `""` if the records have none. */
  readonly authIndex: string
  /** By the proxy's clock. */
  readonly lastSuccessAt: EpochMs | null
  /** Quota that came with answers, newest last, as kept by `withPassiveSample`; dated by the proxy's clock. */
  readonly samples: readonly QuotaSample[]
  /** The last refusal; one of kind `quota` counts only if there is no other. */
  readonly refusal: UsageRefusal | null
}

/** Quota of an account that came with answers to clients, as in `AccountActivity`. */
export type PassiveQuota = Pick<AccountActivity, 'accountKey' | 'samples'>

/** Facts about an answer of the proxy, except its records. */
export interface UsageFacts {
  /** Elements of the answer, including those that are not records. */
  readonly elementCount: number
  /** Number of queue records whose credentials are in the account list: all except API keys of the proxy's configuration. */
  readonly listedCount: number
  readonly activity: readonly AccountActivity[]
  /** Starts of the oldest and the newest request, by the proxy's clock; null if there is none. */
  readonly oldestAt: EpochMs | null
  readonly newestAt: EpochMs | null
}

/** Totals of a legacy tree since the proxy started. */
export interface TreeTotals {
  readonly success: number
  readonly failed: number
  readonly tokens: number
}

/** Result of storing one answer of the proxy. */
export interface IngestedUsage extends UsageFacts {
  readonly tally: UsageTally
  /** Totals of a tree; null for a queue or a tree without totals. */
  readonly totals: TreeTotals | null
  /** Gap revealed by the answer; null for none. */
  readonly gap: UsageGap | null
}

/** Merges newer facts about a file into the known ones. */
export function noteActivity(
  knownByFile: Map<string, AccountActivity>,
  { accountKey, authIndex, lastSuccessAt, samples, refusal }: AccountActivity,
): void {
  const file = `${accountKey}|${authIndex}`
  const known = knownByFile.get(file)
  knownByFile.set(file, {
    accountKey,
    authIndex,
    lastSuccessAt: laterOf(known?.lastSuccessAt ?? null, lastSuccessAt),
    samples: samples.reduce(withPassiveSample, known?.samples ?? []),
    refusal: strongerOf(known?.refusal ?? null, refusal),
  })
}

/** The later of two instants, or the only known one. */
export function laterOf(one: EpochMs | null, other: EpochMs | null): EpochMs | null {
  if (one === null || other === null) return one ?? other
  return other > one ? other : one
}

function strongerOf(one: UsageRefusal | null, other: UsageRefusal | null): UsageRefusal | null {
  if (one === null || other === null) return one ?? other
  const [oneIsTimeless, otherIsTimeless] = [one, other].map(
    ({ message }) => message.kind === 'quota',
  )
  if (oneIsTimeless !== otherIsTimeless) return otherIsTimeless ? one : other
  return other.at >= one.at ? other : one
}
