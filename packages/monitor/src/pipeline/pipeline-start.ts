import type { Redacted } from '@svc/core/service'
import { startThread, type Thread, type ThreadPlan } from '../threads/thread.ts'
import type { PipelineApi } from './compose-pipeline.ts'
import type { PipelineEvents, PipelineSetup } from './pipeline-api.ts'

/** Starts a pipeline that reports to `events`. `onCrash`: see ThreadPlan. */
export type PipelineStart = (
  setup: PipelineSetup,
  events: PipelineEvents,
  onCrash: ThreadPlan<never>['onCrash'],
) => Thread<PipelineApi>

/** Initial data of a pipeline thread. */
export interface PipelineThreadSetup {
  readonly pipeline: PipelineSetup
  /** The management key as plain text: its wrapper does not survive the copy to another thread. */
  readonly key: string | null
  readonly clock: unknown
}

/** Runs the pipeline in its own thread, whose file calls `servePipelineThread`. `clock`: the data from which that file makes its clock. */
export function pipelineInThread(url: URL, clock: unknown = null): PipelineStart {
  return (pipeline, events, onCrash) =>
    startThread<PipelineApi, PipelineEvents>({
      url,
      name: 'pipeline',
      setup: {
        pipeline: withKey(pipeline, null),
        key: pipeline.config.upstream.managementKey?.reveal() ?? null,
        clock,
      } satisfies PipelineThreadSetup,
      near: events,
      onCrash,
    })
}

export function withKey(setup: PipelineSetup, managementKey: Redacted | null): PipelineSetup {
  return {
    ...setup,
    config: { ...setup.config, upstream: { ...setup.config.upstream, managementKey } },
  }
}
