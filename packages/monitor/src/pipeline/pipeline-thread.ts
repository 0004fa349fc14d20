import { workerData } from 'node:worker_threads'
import { type Clock, Redacted } from '@svc/core/service'
import { serveStarter } from '../threads/thread.ts'
import { composePipeline } from './compose-pipeline.ts'
import type { PipelineApi, PipelineEvents } from './pipeline-api.ts'
import { type PipelineThreadSetup, withKey } from './pipeline-start.ts'

/** In the file of the thread: the pipeline, with the clock that is made from what `pipelineInThread` was given. */
export function servePipelineThread(clockFrom: (given: unknown) => Clock): void {
  const { pipeline, key, clock } = workerData as PipelineThreadSetup
  const deps = { clock: clockFrom(clock), random: Math.random, fetch: globalThis.fetch }
  const setup = withKey(pipeline, key === null ? null : new Redacted(key))
  serveStarter<PipelineApi, PipelineEvents>((events) => composePipeline(setup, deps, events))
}
