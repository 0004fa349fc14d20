import type { Config, Upstream } from '@svc/config'
import type {
  Clock,
  CourseQuery,
  Log,
  LogFields,
  LogKind,
  Readiness,
  RefreshElsewhere,
  RefreshState,
  RefreshTarget,
  RunningRefresh,
} from '@svc/core/service'
import type { SeriesRequest } from '../answers/encode-chart.ts'
import type { Asked, Payloads, ReadyAnswer } from '../answers/ready-answer.ts'
import type { Report } from '../metrics/event-counters.ts'
import type { GaugeSamples } from '../metrics/metric-families.ts'
import type { IfStalled } from '../monitor/publisher.ts'
import type { UpstreamAnswer, UpstreamReading } from '../monitor/upstream-answers.ts'
import type { WorkerUrls } from '../store/history.ts'

/** What a pipeline needs to know; it can be copied to another thread. */
export interface PipelineSetup {
  readonly config: Config
  /** The listen address when others than this machine can reach it, else null. */
  readonly exposedHost: string | null
  readonly demo: boolean
  readonly workers: { readonly [Name in keyof WorkerUrls]: string }
}

/** The clock, randomness and network a pipeline uses. */
export interface PipelineDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
}

/** One state of everything that is answered from. */
export interface Publication {
  /** Those made anew since the last one; all of them in the first. */
  readonly payloads: Partial<Payloads>
  /** What has changed of the status since each of its last versions; left out where that is as before. */
  readonly changes?: ReadonlyMap<string, ReadyAnswer>
  /** The same of health. */
  readonly healthChanges?: ReadonlyMap<string, ReadyAnswer>
  readonly gauges: readonly GaugeSamples[]
  /** Instant of the account list; null until one was read. */
  readonly sampledAt: number | null
  readonly readiness: Readiness
  /** What is shown when no newer publication comes; left out where it has not changed. */
  readonly ifStalled?: IfStalled
}

/** What a pipeline may be asked. */
export interface PipelineApi {
  /** Returns once a first publication is on its way. */
  prepare(): void
  start(): void
  /** Somebody reads. Returns once what is published is as new as a reader is shown, and made as it is read. */
  read(asked: Asked): void
  chart(request: SeriesRequest): Promise<ReadyAnswer>
  /** Null for an account that nobody knows. */
  course(query: CourseQuery): Promise<ReadyAnswer | null>
  /** A payload about one of several proxies, of the snapshot that is published; null before the first. */
  payloadAt(reading: UpstreamReading): UpstreamAnswer | null
  refreshAvailable(): boolean
  isManagementKey(text: string): boolean | null
  /** Who asks about every account in place of this monitor; null where this one asks about some, or is still at it. */
  refreshElsewhere(): RefreshElsewhere | null
  /** Returns once the publication that shows it is on its way. Null for an account that is not listed, unless one is under way already. */
  requestRefresh(target: RefreshTarget): RunningRefresh | RefreshElsewhere | null
  /** Returns how the refresh that was under way, or the last one, has ended; the publication that shows it follows. */
  cancelRefresh(): RefreshState
  /** `upstreams`: the tables of the configuration now; empty where it has none. */
  reload(upstreams: readonly Upstream[]): void
  stop(): Promise<boolean>
  /** Shows that the thread still runs. */
  ping(): void
}

/** What the thread that answers takes from the pipeline. */
export interface PipelineOutlet extends Report {
  publish(publication: Publication): void
  log(level: keyof Log, event: string, fields?: LogFields, kind?: LogKind): void
}
