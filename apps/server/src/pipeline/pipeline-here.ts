import { MessageChannel } from 'node:worker_threads'
import { openChannel } from '../threads/channel.ts'
import type { PipelineApi, PipelineDeps, PipelineOutlet } from './pipeline-api.ts'
import type { PipelineStart } from './pipeline-start.ts'
import { servePipeline } from './serve-pipeline.ts'

/** In this thread, so that a test can hand it a clock and a way to the proxy. */
export function pipelineHere(deps: PipelineDeps): PipelineStart {
  return (setup, outlet) => {
    const { port1, port2 } = new MessageChannel()
    servePipeline(port2, setup, deps)
    const channel = openChannel<PipelineApi, PipelineOutlet>(port1, outlet)
    const terminate = async () => {
      channel.close()
      port1.close()
    }
    return {
      ...channel,
      terminate,
      async end(_, closed) {
        await closed
        await terminate()
        return true
      },
    }
  }
}
