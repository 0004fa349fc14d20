import { MessageChannel, workerData } from 'node:worker_threads'
import { type Clock, Redacted } from '@svc/core/service'
import { openChannel } from '../threads/channel.ts'
import { serveStarter } from '../threads/thread.ts'
import { composePipeline, type PipelineApi } from './compose-pipeline.ts'
import type { PipelineDeps, PipelineEvents } from './pipeline-api.ts'
import { type PipelineStart, type PipelineThreadSetup, withKey } from './pipeline-start.ts'

/** In this thread, so that a test can hand it a clock and a way to the proxy. */
export function pipelineHere(deps: PipelineDeps): PipelineStart {
  return (setup, events) => {
    const { port1, port2 } = new MessageChannel()
    openChannel<PipelineEvents, PipelineApi>(port2, (far) => composePipeline(setup, deps, far))
    const channel = openChannel<PipelineApi, PipelineEvents>(port1, events)
    const terminate = async () => {
      channel.close()
      port1.close()
    }
    return {
      ...channel,
      // The watchdog shares this event loop: a late answer shows a busy machine, not a pipeline that hangs.
      call: (method, ...rest) =>
        method === 'ping' ? Promise.resolve(undefined as never) : channel.call(method, ...rest),
      terminate,
      async end(_, closed) {
        await closed
        await terminate()
        return true
      },
    }
  }
}

/** In the file of the thread: the pipeline, with the clock that is made from what `pipelineInThread` was given. */
export function servePipelineThread(clockFrom: (given: unknown) => Clock): void {
  const { pipeline, key, clock } = workerData as PipelineThreadSetup
  const deps = { clock: clockFrom(clock), random: Math.random, fetch: globalThis.fetch }
  const setup = withKey(pipeline, key === null ? null : new Redacted(key))
  serveStarter<PipelineApi, PipelineEvents>((events) => composePipeline(setup, deps, events))
}
