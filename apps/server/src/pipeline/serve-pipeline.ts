import { type Channel, openChannel, type Port } from '../threads/channel.ts'
import { composePipeline } from './compose-pipeline.ts'
import type { PipelineApi, PipelineDeps, PipelineOutlet, PipelineSetup } from './pipeline-api.ts'

/** Runs a pipeline that is called through `port`. */
export function servePipeline(port: Port, setup: PipelineSetup, deps: PipelineDeps): void {
  let pipeline: PipelineApi | null = null
  const made = (): PipelineApi => {
    if (pipeline === null) throw new Error('the pipeline was called before it was made')
    return pipeline
  }
  const outlet: Channel<PipelineOutlet> = openChannel<PipelineOutlet, PipelineApi>(port, {
    prepare: () => made().prepare(),
    start: () => made().start(),
    read: (asked) => made().read(asked),
    chart: (request) => made().chart(request),
    course: (query) => made().course(query),
    payloadAt: (reading) => made().payloadAt(reading),
    refreshAvailable: () => made().refreshAvailable(),
    isManagementKey: (text) => made().isManagementKey(text),
    refreshElsewhere: () => made().refreshElsewhere(),
    requestRefresh: (target) => made().requestRefresh(target),
    cancelRefresh: () => made().cancelRefresh(),
    reload: (upstreams) => made().reload(upstreams),
    stop: () => made().stop(),
    ping: () => made().ping(),
  })
  pipeline = composePipeline(setup, deps, outlet)
}
