import type { EpochMs } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import type { PriceSettings, SubscriptionPrice } from '@svc/core/money'
import type {
  BurnHours,
  CapacityPoint,
  RecentChange,
  RememberedPool,
  WindowReadingRecord,
} from '@svc/core/pool'
import type { EngineState, LeaseName, UpstreamName } from '@svc/core/service'
import type { PricedBy, UsageGap, UsageRanking } from '@svc/core/usage'
import type { Language } from '@svc/views'
import type { HistoryQuestions } from '../answers/history-questions.ts'
import type { StoredTimes } from '../clock/trusted-clock.ts'

/** Readings, capacity, burn and changes recorded before this process started. */
export interface TrendSeed {
  readonly readings: readonly WindowReadingRecord[]
  /** Capacity points of the last day, oldest first. */
  readonly points: readonly CapacityPoint[]
  /** Hours by window name from `windowNameOf`. */
  readonly burnHours: ReadonlyMap<string, BurnHours>
  /** Stored changes, newest first. */
  readonly changes: readonly RecentChange[]
}

/** Contents of a store at its opening. */
export interface OpenedStore extends TrendSeed, StoredTimes {
  readonly isNew: boolean
  /** Versions of the schema before and after an update at this opening; null without one. */
  readonly updated: { readonly from: number; readonly to: number } | null
  readonly engine: EngineState
  /** Pops during which the last process died. */
  readonly interrupted: readonly UsageGap[]
  /** Time of the last poll of each proxy; proxies never polled are absent. */
  readonly lastPollAt: ReadonlyMap<UpstreamName, EpochMs>
  /** The pool as last seen; null if it was never stored. */
  readonly remembered: RememberedPool | null
  /** Memory of the messages sent to each target, by its name. */
  readonly told: ReadonlyMap<string, string>
  /** Last queries of accounts by any monitor. */
  readonly asked: readonly AskedAccount[]
}

/** Location of a store: the path of a file; or the address of a database, its password file, and a standby that is read from. */
export interface StorePlace {
  readonly location: string
  readonly passwordFile: string | null
  readonly replica: string | null
}

export interface OpenRequest {
  readonly place: StorePlace
  readonly now: EpochMs
  /** True if this process has not opened the store before. */
  readonly isFirst: boolean
  /** Whether to read every page before anything is written. */
  readonly thorough: boolean
  /** Leases held now, with their terms; null if nobody shares the store. */
  readonly held: ReadonlyMap<LeaseName, number> | null
}

/** Records of other monitors about the pool until now. */
export interface SeenPool extends TrendSeed {
  /** Null if it was never stored. */
  readonly remembered: RememberedPool | null
  /** Memory of the messages sent to each target, by its name. */
  readonly told: ReadonlyMap<string, string>
  /** Last queries of accounts by any monitor. */
  readonly asked: readonly AskedAccount[]
}

/** Initial data of the thread that writes the store. */
export interface WriterSetup {
  readonly pricedBy: PricedBy
}

/** Initial data of the thread that reads the store. */
export interface ReaderSetup {
  readonly place: StorePlace
  readonly retentionDays: number
  /** Language of charts and courses. */
  readonly language: Language
  /** Longest time between two records of a watched pool, in milliseconds. */
  readonly silentMsMax: number
}

/** What the operator sets about prices, and what a price file refuses. */
export interface PricesInUse extends PriceSettings {
  readonly subscriptions: readonly SubscriptionPrice[]
}

/** The thread that reads the store, which it opens on the first question. */
export interface ReaderApi extends HistoryQuestions {
  useLabels(labels: ReadonlyMap<string, string>): void
  usePrices(prices: PricesInUse): void
  /** At most `top` models and labelled clients, by their requests of the last week. */
  ranking(top: number, now: EpochMs): Promise<UsageRanking>
  close(): Promise<void>
}
