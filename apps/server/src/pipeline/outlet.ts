import type { Log, UpstreamName } from '@svc/core/service'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import type { Published } from '../monitor/publisher.ts'
import type { Channel } from '../threads/channel.ts'
import type { PipelineOutlet } from './pipeline-api.ts'
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
export function reportThrough(outlet: Channel<PipelineOutlet>): Report {
  return {
    count: (count) => outlet.tell('count', [count]),
    timeListRead: (seconds, upstream) => outlet.tell('timeListRead', [seconds, upstream]),
    setBacklog: (seconds) => outlet.tell('setBacklog', [seconds]),
    setLag: (seconds) => outlet.tell('setLag', [seconds]),
  }
}

/** The same about one proxy: it is named while several are watched. */
export function reportAbout(
  report: Report,
  upstream: UpstreamName,
  isOneOfSeveral: () => boolean,
): UpstreamReport {
  return {
    count: (count) => report.count(isOneOfSeveral() ? { ...count, upstream } : count),
    timeListRead: (seconds) =>
      report.timeListRead(seconds, isOneOfSeveral() ? upstream : undefined),
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
