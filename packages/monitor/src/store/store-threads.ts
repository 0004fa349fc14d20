import type { EpochMs } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import type { PriceSettings, SubscriptionPrice } from '@svc/core/money'
import type {
  BurnHours,
  CapacityPoint,
  PoolMemoryUpdate,
  PoolRecord,
  RecentChange,
  RememberedPool,
  WindowReadingRecord,
} from '@svc/core/pool'
import type { EngineState, LeaseName, UpstreamName } from '@svc/core/service'
import type { PricedBy, UsageGap, UsageRanking } from '@svc/core/usage'
import type { RetentionPlan, TakenPrices } from '@svc/history'
import type { Language } from '@svc/views'
import type { HistoryQuestions } from '../answers/history-questions.ts'
import type { StoredTimes } from '../clock/trusted-clock.ts'
import type { createIngest } from './ingest.ts'

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

/** Records of another monitor about a proxy that this one has taken over. */
export interface TakenProxy {
  /** A pop during which that monitor died; null without one. */
  readonly interrupted: UsageGap | null
  readonly lastPollAt: EpochMs | null
  /** Last queries of accounts through any proxy. */
  readonly asked: readonly AskedAccount[]
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

export interface ForgettingReport {
  /** True while expired rows remain. */
  readonly more: boolean
  /** Milliseconds by which the oldest row exceeds the retention time. */
  readonly backlogMs: number
}

export interface MaintenanceReport extends StoredTimes {
  readonly engine: EngineState
  /** Unwatched time within the last 24 h, in milliseconds. */
  readonly missedMs: number
  /** Lag of the standby that charts are read from; null if it is unknown, or without a standby. */
  readonly lagSeconds: number | null
}

/** Calls of the thread that writes the store. All except `open` and `close` fail with `cannot_open` while no store is open. */
export interface WriterApi extends ReturnType<typeof createIngest> {
  open(request: OpenRequest): Promise<OpenedStore>
  close(): Promise<void>
  /** Stores the present titles of accounts, by key. */
  nameAccounts(titles: ReadonlyMap<string, string>): Promise<void>
  markPop(upstream: UpstreamName, at: EpochMs): Promise<void>
  clearPop(upstream: UpstreamName): Promise<void>
  stand(upstream: UpstreamName, since: EpochMs | null): Promise<void>
  standingSince(upstream: UpstreamName): Promise<EpochMs | null>
  recordGap(upstream: UpstreamName, gap: UsageGap): Promise<void>
  recordMissing(upstream: UpstreamName, requestCount: number, gap: UsageGap): Promise<void>
  /** Sets the term under which writes covered by this lease are made from now on. */
  useTerm(lease: LeaseName, term: number): void
  /** Sets the term of a proxy's lease, which another monitor may have held, and reads what it left. */
  takeProxy(upstream: UpstreamName, term: number): Promise<TakenProxy>
  /** Reads what other monitors have recorded of the pool. */
  look(now: EpochMs): Promise<SeenPool>
  recordPool(record: PoolRecord, memory: PoolMemoryUpdate | null): Promise<void>
  rememberTold(target: string, memory: string): Promise<void>
  keepAsked(accounts: readonly AskedAccount[], at: EpochMs): Promise<void>
  /** Takes the prices of a file for the models seen so far, from this UTC day on; returns how many are new. */
  takePrices(file: TakenPrices, today: number): Promise<number>
  forget(plan: RetentionPlan, asOf: EpochMs): Promise<ForgettingReport>
  maintain(now: EpochMs): Promise<MaintenanceReport>
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
