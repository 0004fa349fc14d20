import type { Config } from '@svc/config'
import type { Clock, Log } from '@svc/core/service'
import type { PipelineStart } from './pipeline/pipeline-start.ts'
import type { WorkerUrls } from './store/history.ts'

/** What a service is started with: its configuration, its threads and its page. */
export interface StartServerOptions {
  readonly config: Config
  readonly demo: boolean
  readonly version: string
  /** Where the pipeline runs, with its own clock and way to the proxy. */
  readonly startPipeline: PipelineStart
  /** Files of the worker threads that keep the history. */
  readonly workers: WorkerUrls
  /** Folder of the built dashboard, with a slash at its end. */
  readonly dashboard: URL
  readonly deps: {
    readonly clock: Clock
    /** Whether that is the clock by which Node dates its answers; where it is not, they are dated by this one. */
    readonly isMachineClock: boolean
    readonly log: Log
  }
}
