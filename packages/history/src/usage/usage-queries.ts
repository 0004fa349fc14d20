import type { EpochMs } from '@svc/core'
import type { PriceBook } from '@svc/core/money'
import type {
  AnswerSource,
  FailureClass,
  RequestTime,
  UsageCounts,
  UsageGroup,
  UsageHistory,
  UsageMember,
  UsagePiece,
  UsageReader,
  UsageSpan,
  WatchedTime,
} from '@svc/core/usage'
import type { Grouping } from './tiers.ts'

export interface MemberUsage extends UsageCounts {
  readonly memberId: number
}

/** A measured time of one successful request. */
export interface MemberTime {
  readonly memberId: number
  readonly at: EpochMs
  readonly milliseconds: number
}

export interface MemberBucket extends MemberUsage {
  readonly index: number
  /** Only if the selection is rated. */
  readonly rate?: PricedNumbers
}

/** All that prices usage, by the numbers of names; the account is 0 where the price does not depend on it. */
export interface PricedNumbers {
  readonly model: number
  readonly provider: number
  readonly tier: number
  readonly band: number
  readonly account: number
}

/** Requests that count, by the numbers of members in rows; one of each list must fit, and every list. */
export interface RowFilter {
  readonly members: readonly { readonly grouping: Grouping; readonly ids: readonly number[] }[]
  readonly failed?: boolean
  readonly failures?: readonly FailureClass[]
}

/** Usage by the members of one group or two. The number of a pair is that of the first times `PAIR_FACTOR` plus that of the second. */
export interface Selection {
  readonly source: AnswerSource
  readonly groupings: readonly Grouping[]
  /** Tells rows and the sums by rate; empty for all other sums. */
  readonly filter: RowFilter
  /** Tells usage of one rate from that of others; only rows and the sums by rate do. */
  readonly rated?: { readonly byAccount: boolean }
}

/** Larger than any member's number; a pair is still an exact number. */
export const PAIR_FACTOR = 2 ** 26

/** Queries of the usage tables, each over the pieces of a span. */
export interface UsageQueries {
  /** Usage of all members, unordered. */
  members(selection: Selection, pieces: readonly UsagePiece[]): Promise<readonly MemberUsage[]>
  /** Usage of these members, or of all if null, in buckets from `start`; those without usage are left out. A bucket may come in several parts. */
  buckets(
    selection: Selection,
    memberIds: readonly number[] | null,
    pieces: readonly UsagePiece[],
    buckets: Pick<UsageSpan, 'start' | 'bucketSeconds'>,
  ): Promise<readonly MemberBucket[]>
  /** Values of `time` for the single requests that succeeded and have one, unordered. */
  times(
    time: RequestTime,
    selection: Selection,
    span: { readonly from: EpochMs; readonly end: EpochMs },
  ): Promise<readonly MemberTime[]>
}

/** First and last usage of a store, and the share of the time between that was observed. Null: there is no usage. */
export interface UsageExtent {
  earliest(): Promise<EpochMs | null>
  /** Time of the newest row before `now`. */
  latest(now: EpochMs): Promise<EpochMs | null>
  /**
   * Start of the kept usage, and the gaps that end after `from`. Usage can be older than the first poll, because the proxy still had its records
   * then.
   */
  watch(from: EpochMs): Promise<WatchedTime>
  history(now: EpochMs): Promise<Omit<UsageHistory, 'totals' | 'retentionDays' | keyof Measured>>
}

export type Measured = Pick<UsageHistory, 'databaseBytes' | 'lagSeconds'>

/** Names of a group's members, by their numbers in rows and rollups. Several numbers may share a name. */
export type MembersById = ReadonlyMap<number, UsageMember>

/** Sources of one answer, which all reflect one moment. */
export interface UsageTables extends UsageQueries {
  readonly extent: UsageExtent
  /** Rows before this time may be deleted, with their sums kept; null if no rows were deleted. */
  readonly rowsSince: EpochMs | null
  /** Time before which sums by rate lack requests; null if they begin with the history. */
  readonly pairsSince: EpochMs | null
  /** Time before which sums by rate hold all requests, and from which they hold none; null if they hold all. */
  readonly ratesUntil: EpochMs | null
  measured(): Promise<Measured>
  /** Prices in force, and the operator's own. */
  book(): Promise<PriceBook>
  named(group: UsageGroup): Promise<MembersById>
  /** One page of the single requests that are still kept. */
  readonly requests: UsageReader['requests']
}
