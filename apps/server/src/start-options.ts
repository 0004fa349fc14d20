import type { Config } from '@svc/config'
import type { Clock, Log } from '@svc/core/service'
import type { PipelineStart, WorkerUrls } from '@svc/monitor'

/** Inputs of a service: its configuration, its threads and its page. */
export interface StartServerOptions {
  readonly config: Config
  readonly demo: boolean
  readonly version: string
  /** Starts the pipeline, which has its own clock and access to the proxy. */
  readonly startPipeline: PipelineStart
  /** Files of the worker threads for the history. */
  readonly workers: WorkerUrls
  /** Folder of the built dashboard, with a trailing slash. */
  readonly dashboard: URL
  readonly deps: {
    readonly clock: Clock
    /** Whether Node dates its answers by this same clock; otherwise the answers are dated by this clock explicitly. */
    readonly isMachineClock: boolean
    readonly log: Log
  }
}
