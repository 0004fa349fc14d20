import type { Log } from '@svc/core/service'
import type { Published } from '../monitor/publisher.ts'
import type { Channel } from '../threads/channel.ts'
import type { PipelineOutlet, PipelineReports } from './pipeline-api.ts'
import { handoverOf } from './publish.ts'

/** Log lines, for the thread that answers. */
export function logThrough(outlet: Channel<PipelineOutlet>): Log {
  return {
    debug: (event, fields) => outlet.tell('log', ['debug', event, fields]),
    info: (event, fields) => outlet.tell('log', ['info', event, fields]),
    warn: (event, fields, kind) => outlet.tell('log', ['warn', event, fields, kind]),
    error: (event, fields, kind) => outlet.tell('log', ['error', event, fields, kind]),
  }
}

/** What is counted, for the thread that answers. */
export function reportThrough(outlet: Channel<PipelineOutlet>): PipelineReports {
  return {
    onManualRefresh: (result) => outlet.tell('onManualRefresh', [result]),
    onUsage: (tally) => outlet.tell('onUsage', [tally]),
    onGap: (gap) => outlet.tell('onGap', [gap]),
    onMissing: (requestCount) => outlet.tell('onMissing', [requestCount]),
    onBacklog: (seconds) => outlet.tell('onBacklog', [seconds]),
    collectorReport: {
      upstreamError: (...args) => outlet.tell('upstreamError', args),
      probe: (...args) => outlet.tell('probe', args),
      accountRefresh: (...args) => outlet.tell('accountRefresh', args),
    },
  }
}

/** Hands each publication to the thread that answers, with what has changed since the last one. */
export function publishThrough(outlet: Channel<PipelineOutlet>): (published: Published) => void {
  let last: Published | null = null
  return (published) => {
    const { publication, transfer } = handoverOf(published, last)
    last = published
    outlet.tell('publish', [publication], transfer)
  }
}
