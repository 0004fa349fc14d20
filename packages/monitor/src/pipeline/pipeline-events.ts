import type { Log, UpstreamName } from '@svc/core/service'
import type { PoolEvent } from '@svc/views'
import { eventText } from '../answers/event-ring.ts'
import type { Published } from '../evaluation/publisher.ts'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import type { Channel } from '../threads/channel.ts'
import type { PipelineEvents } from './pipeline-api.ts'
import { handoverOf } from './publish.ts'

/** Sends log lines to the thread that answers. */
export function logThrough(events: Channel<PipelineEvents>): Log {
  return {
    debug: (event, fields) => events.tell('log', ['debug', event, fields]),
    info: (event, fields) => events.tell('log', ['info', event, fields]),
    warn: (event, fields, kind) => events.tell('log', ['warn', event, fields, kind]),
    error: (event, fields, kind) => events.tell('log', ['error', event, fields, kind]),
  }
}

/** Sends counts to the thread that answers. */
export function reportThrough(events: Channel<PipelineEvents>): Report {
  return {
    count: (count) => events.tell('count', [count]),
    timeListRead: (seconds, upstream) => events.tell('timeListRead', [seconds, upstream]),
    setBacklog: (seconds) => events.tell('setBacklog', [seconds]),
    setLag: (seconds) => events.tell('setLag', [seconds]),
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
  events: Channel<PipelineEvents>,
): (events: readonly PoolEvent[]) => void {
  return (found) => {
    if (found.length > 0) events.tell('news', [found.map(eventText)])
  }
}

/** Sends each publication to the thread that answers, with the changes since the last one. */
export function publishThrough(events: Channel<PipelineEvents>): (published: Published) => void {
  let last: Published | null = null
  return (published) => {
    const { publication, transfer } = handoverOf(published, last)
    last = published
    events.tell('publish', [publication], transfer)
  }
}
