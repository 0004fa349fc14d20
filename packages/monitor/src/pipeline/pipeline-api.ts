import type { Config, Upstream } from '@svc/config'
import type { Readiness } from '@svc/core/health'
import type {
  Clock,
  Log,
  LogFields,
  LogKind,
  RefreshElsewhere,
  RefreshState,
  RefreshTarget,
  RunningRefresh,
  SchedulerQuestion,
} from '@svc/core/service'
import type { HistoryAnswers } from '../answers/history-questions.ts'
import type {
  Asked,
  FilteredPayload,
  FilteredReading,
  Payloads,
  PickQuestion,
  ReadyAnswer,
} from '../answers/ready-answer.ts'
import type { IfStalled } from '../evaluation/publisher.ts'
import type { Report } from '../metrics/event-counters.ts'
import type { GaugeSamples } from '../metrics/snapshot-gauge.ts'
import type { WorkerUrls } from '../store/history.ts'

/** Settings of a pipeline; they can be copied to another thread. */
export interface PipelineSetup {
  readonly config: Config
  /** The listen address if other machines can reach it, else null. */
  readonly exposedHost: string | null
  readonly demo: boolean
  readonly workers: { readonly [Name in keyof WorkerUrls]: string }
}

/** Clock, randomness and network of a pipeline. */
export interface PipelineDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
}

/** One state of everything that requests are answered from. */
export interface Publication {
  /** Payloads made anew since the last publication; all of them in the first. */
  readonly payloads: Partial<Payloads>
  readonly gauges: readonly GaugeSamples[]
  /** Instant of the account list; null until one was read. */
  readonly sampledAt: number | null
  readonly readiness: Readiness
  /** The event of this publication, as text; left out if it says nothing new. */
  readonly snapshotEvent?: string
  /** Differences to show if no newer publication comes; left out if they have not changed. */
  readonly ifStalled?: IfStalled
}

/** Calls that a pipeline answers. */
export interface PipelineApi extends HistoryAnswers {
  /** Returns once a first publication has been sent. */
  prepare(): void
  start(): void
  /** Notes a reader. Returns once the publication is as new as a reader may expect, and in the form that is read. */
  read(asked: Asked): void
  /** A payload about a part of the pool, from the published snapshot; null before the first. */
  payloadAt(reading: FilteredReading): FilteredPayload | null
  /** One account of the published snapshot; null before the first. */
  pick(question: PickQuestion): FilteredPayload | null
  /** Notes a question of a scheduler for the ranking. */
  schedulerAsked(question: SchedulerQuestion): void
  /** The calendar of resets, from the published snapshot; null before the first. */
  calendar(): ReadyAnswer | null
  refreshAvailable(): boolean
  isManagementKey(text: string): boolean | null
  /** The monitor that asks about every account in place of this one; null if this one asks about some, or has not finished. */
  refreshElsewhere(): RefreshElsewhere | null
  /** Returns once the publication that shows the refresh has been sent. Null for an unlisted account, unless a refresh is under way. */
  requestRefresh(target: RefreshTarget): RunningRefresh | RefreshElsewhere | null
  /** Returns the end of the refresh that was under way, or of the last one; the publication that shows it follows. */
  cancelRefresh(): RefreshState
  /** `upstreams`: the current tables of the configuration; empty without tables. */
  reload(upstreams: readonly Upstream[]): void
  stop(): Promise<boolean>
  /** Shows that the thread still runs. */
  ping(): void
}

/** Calls that the answering thread takes from the pipeline. */
export interface PipelineEvents extends Report {
  publish(publication: Publication): void
  /** What an evaluation found, as texts of events. */
  news(events: readonly string[]): void
  log(level: keyof Log, event: string, fields?: LogFields, kind?: LogKind): void
}
