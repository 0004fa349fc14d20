import type { Config } from '@svc/config'
import type { Clock, Log } from '@svc/core/service'
import type { PipelineStart } from './pipeline/pipeline-start.ts'
import type { WorkerUrls } from './store/history.ts'

/** Everything a service is started with: its configuration, its threads and its page. */
export interface StartServerOptions {
  readonly config: Config
  readonly demo: boolean
  readonly version: string
  /** Starts the pipeline, which has its own clock and access to the proxy. */
  readonly startPipeline: PipelineStart
  /** Files of the worker threads that keep the history. */
  readonly workers: WorkerUrls
  /** Folder of the built dashboard, with a slash at its end. */
  readonly dashboard: URL
  readonly deps: {
    readonly clock: Clock
    /** Whether this clock is the one by which Node dates its answers; otherwise the answers are dated by this clock. */
    readonly isMachineClock: boolean
    readonly log: Log
  }
}
