import type { Log, UpstreamName } from '@svc/core/service'
import type { PoolEvent } from '@svc/views'
import { eventText } from '../answers/event-ring.ts'
import type { Published } from '../evaluation/publisher.ts'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import type { Channel } from '../threads/channel.ts'
import type { PipelineOutlet } from './pipeline-api.ts'
import { handoverOf } from './publish.ts'

/** Sends log lines to the thread that answers. */
export function logThrough(outlet: Channel<PipelineOutlet>): Log {
  return {
    debug: (event, fields) => outlet.tell('log', ['debug', event, fields]),
    info: (event, fields) => outlet.tell('log', ['info', event, fields]),
    warn: (event, fields, kind) => outlet.tell('log', ['warn', event, fields, kind]),
    error: (event, fields, kind) => outlet.tell('log', ['error', event, fields, kind]),
  }
}

/** Sends counts to the thread that answers. */
export function reportThrough(outlet: Channel<PipelineOutlet>): Report {
  return {
    count: (count) => outlet.tell('count', [count]),
    timeListRead: (seconds, upstream) => outlet.tell('timeListRead', [seconds, upstream]),
    setBacklog: (seconds) => outlet.tell('setBacklog', [seconds]),
    setLag: (seconds) => outlet.tell('setLag', [seconds]),
  }
}

/** Reports about one of the configured proxies, labelled with its name. */
export function reportAbout(report: Report, upstream: UpstreamName): UpstreamReport {
  return {
    count: (count) => report.count({ ...count, upstream }),
    timeListRead: (seconds) => report.timeListRead(seconds, upstream),
  }
}

/** Sends what an evaluation found to the thread that answers. */
export function newsThrough(
  outlet: Channel<PipelineOutlet>,
): (events: readonly PoolEvent[]) => void {
  return (events) => {
    if (events.length > 0) outlet.tell('news', [events.map(eventText)])
  }
}

/** Sends each publication to the thread that answers, with the changes since the last one. */
export function publishThrough(outlet: Channel<PipelineOutlet>): (published: Published) => void {
  let last: Published | null = null
  return (published) => {
    const { publication, transfer } = handoverOf(published, last)
    last = published
    outlet.tell('publish', [publication], transfer)
  }
}
