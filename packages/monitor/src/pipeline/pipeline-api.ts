import type { Config } from '@svc/config'
import type { Readiness } from '@svc/core/health'
import type { Clock, Log, LogFields, LogKind } from '@svc/core/service'
import type { Payloads } from '../answers/ready-answer.ts'
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
  readonly version?: string
  readonly workers: { readonly [Name in keyof WorkerUrls]: string }
}

/** Clock, randomness and network of a pipeline. */
export interface PipelineDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
}

/** State from which requests are answered. */
export interface Publication {
  /** Payloads made since the last publication; all of them in the first. */
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

/** Calls that the answering thread takes from the pipeline. */
export interface PipelineEvents extends Report {
  publish(publication: Publication): void
  /** Passes on the events that an evaluation found, as texts. */
  news(events: readonly string[]): void
  log(level: keyof Log, event: string, fields?: LogFields, kind?: LogKind): void
}
