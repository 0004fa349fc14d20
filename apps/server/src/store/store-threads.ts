import type { AccountDirectory } from '@svc/collector'
import type { EpochMs, PerWindow } from '@svc/core'
import type {
  BurnHours,
  CapacityPoint,
  CourseMoment,
  CourseQuery,
  EngineState,
  LeaseName,
  PoolMemoryUpdate,
  PoolRecord,
  RecentChange,
  RememberedPool,
  UpstreamName,
  WindowReadingRecord,
} from '@svc/core/service'
import type { IngestedUsage, UsageGap, UsageSummary } from '@svc/core/usage'
import type { IngestTimes, RetentionPlan } from '@svc/history'
import type { Language } from '@svc/views'
import type { SeriesRequest } from '../answers/encode-chart.ts'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import type { StoredTimes } from '../clock/trusted-clock.ts'

/** What was known before this process started. */
export interface TrendSeed {
  readonly readings: readonly WindowReadingRecord[]
  /** Of the last day, oldest first. */
  readonly points: readonly CapacityPoint[]
  readonly burnHours: PerWindow<BurnHours>
  /** Changes that are stored already, newest first. */
  readonly changes: readonly RecentChange[]
}

/** What a store held when it was opened. */
export interface OpenedStore extends TrendSeed, StoredTimes {
  readonly isNew: boolean
  readonly engine: EngineState
  /** Pops that the last process died in. */
  readonly interrupted: readonly UsageGap[]
  /** When each proxy was last read, as far as it ever was. */
  readonly lastPollAt: ReadonlyMap<UpstreamName, EpochMs>
  /** How the pool was last seen; null when that was never kept. */
  readonly remembered: RememberedPool | null
}

/** Where a store is: the path of a file; or the address of a database, the file of its password, and a standby that is read from. */
export interface StorePlace {
  readonly location: string
  readonly passwordFile: string | null
  readonly replica: string | null
}

export interface OpenRequest {
  readonly place: StorePlace
  readonly now: EpochMs
  /** This process has not opened it before. */
  readonly isFirst: boolean
  /** Reads every page before anything is written. */
  readonly thorough: boolean
  /** Leases that are held, with their terms; null where nobody shares the store. */
  readonly held: ReadonlyMap<LeaseName, number> | null
}

/** What another monitor has left of a proxy that this one acts for now. */
export interface TakenProxy {
  /** A pop that it died in. */
  readonly interrupted: UsageGap | null
  readonly lastPollAt: EpochMs | null
}

/** What other monitors have stored of the pool until now. */
export interface SeenPool extends TrendSeed {
  /** Null when it was never kept. */
  readonly remembered: RememberedPool | null
}

export interface ForgettingReport {
  /** Rows that are too old are left. */
  readonly more: boolean
  /** How far the oldest row lies before the cut. */
  readonly backlogMs: number
}

export interface MaintenanceReport extends StoredTimes {
  readonly engine: EngineState
  /** Of the last 24 h. */
  readonly missedMs: number
  /** How far the standby that is read from is behind; null where that is not known, or there is none. */
  readonly lagSeconds: number | null
}

/** The thread that writes the store. Every call but the first and `close` fails with `cannot_open` while no store is open. */
export interface WriterApi {
  open(request: OpenRequest): Promise<OpenedStore>
  close(): Promise<void>
  useAccounts(upstream: UpstreamName, directory: AccountDirectory): Promise<void>
  markPop(upstream: UpstreamName, at: EpochMs): Promise<void>
  clearPop(upstream: UpstreamName): Promise<void>
  recordGap(upstream: UpstreamName, gap: UsageGap): Promise<void>
  recordMissing(upstream: UpstreamName, requestCount: number, gap: UsageGap): Promise<void>
  /** Null unless each is a list. */
  storeQueue(
    upstream: UpstreamName,
    answers: readonly Uint8Array[],
    times: IngestTimes,
  ): Promise<IngestedUsage | null>
  pushTree(upstream: UpstreamName, chunk: Uint8Array): void
  dropTree(upstream: UpstreamName): void
  /** Null unless it is a tree. */
  storeTree(upstream: UpstreamName, times: IngestTimes): Promise<IngestedUsage | null>
  /** What is decided by this lease is decided under this term from now on. */
  useTerm(lease: LeaseName, term: number): void
  /** The same of the lease of a proxy, which another monitor may have had. */
  takeProxy(upstream: UpstreamName, term: number): Promise<TakenProxy>
  /** What other monitors have stored. */
  look(now: EpochMs): Promise<SeenPool>
  recordPool(record: PoolRecord, memory: PoolMemoryUpdate | null): Promise<void>
  forget(plan: RetentionPlan, asOf: EpochMs): Promise<ForgettingReport>
  maintain(now: EpochMs): Promise<MaintenanceReport>
}

/** What the thread that reads the store begins with. */
export interface ReaderSetup {
  readonly place: StorePlace
  readonly retentionDays: number
  /** What charts and courses are worded in. */
  readonly language: Language
}

/** The thread that reads the store. It opens the store when it is first asked. */
export interface ReaderApi {
  chart(request: SeriesRequest, now: EpochMs): Promise<ReadyAnswer>
  /** Null where the store has no reading of the account. */
  course(query: CourseQuery, moment: CourseMoment): Promise<ReadyAnswer | null>
  summary(now: EpochMs): Promise<UsageSummary>
  useLabels(labels: ReadonlyMap<string, string>): void
  close(): Promise<void>
}
