import type { Snapshot } from '@svc/core'
import { readinessOf, stalledSnapshot } from '@svc/core/health'
import type { Log, UpstreamName } from '@svc/core/service'
import { healthView, type PoolEvent, type StatusContext, snapshotEventView } from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import { eventText } from '../answers/event-ring.ts'
import {
  answerVersionOf,
  type Payloads,
  payloadNames,
  type ReadyAnswer,
  type ReadyForm,
} from '../answers/ready-answer.ts'
import type { IfStalled, Published } from '../evaluation/publisher.ts'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import { gaugeSamplesOf, healthGauges } from '../metrics/metric-families.ts'
import type { Channel } from '../threads/channel.ts'
import type { PipelineEvents, Publication } from './pipeline-api.ts'

/** A publication for another thread, and the buffers to transfer with it. */
interface Handover {
  readonly publication: Publication
  readonly transfer: readonly ArrayBuffer[]
}

/** Everything new since the last publication, with copies of its bytes to transfer. */
export function handoverOf(
  { snapshot, payloads, context, ifStalled }: Published,
  last: Published | null,
): Handover {
  const transfer: ArrayBuffer[] = []
  const copyOf = (bytes: Uint8Array<ArrayBuffer>) => {
    const copy = new Uint8Array(bytes)
    transfer.push(copy.buffer)
    return copy
  }
  const copied = (form: ReadyForm): ReadyForm => ({ ...form, bytes: copyOf(form.bytes) })
  const givenAway = ({ compression, plain, gzip, br }: ReadyAnswer): ReadyAnswer => ({
    compression,
    plain: copied(plain),
    gzip: gzip === null ? null : copied(gzip),
    br: br === null ? null : copied(br),
  })
  const changed: Partial<Payloads> = Object.fromEntries(
    payloadNames.flatMap((name) => {
      const made = payloads[name]
      return made === undefined || made === last?.payloads[name] ? [] : [[name, givenAway(made)]]
    }),
  )
  const snapshotEvent = snapshotEventOf({ snapshot, payloads })
  const isToldBefore = last?.snapshot === snapshot && snapshotEventOf(last) === snapshotEvent
  return {
    publication: {
      payloads: changed,
      gauges: gaugeSamplesOf(snapshot, context),
      sampledAt: snapshot.sampledAt,
      readiness: readinessOf(snapshot),
      ...(isToldBefore ? {} : { snapshotEvent }),
      ...(last?.ifStalled === ifStalled
        ? {}
        : { ifStalled: { ...ifStalled, health: givenAway(ifStalled.health) } }),
    },
    transfer,
  }
}

function snapshotEventOf({
  snapshot,
  payloads: { status },
}: Pick<Published, 'snapshot' | 'payloads'>): string {
  return eventText(
    snapshotEventView(snapshot, status === undefined ? null : answerVersionOf(status)),
  )
}

/** Differences to show if no snapshot follows this one. Made now, because a hanging pipeline can no longer make them. */
export function ifStalledOf(snapshot: Snapshot, context: StatusContext): IfStalled {
  const stalled = stalledSnapshot(snapshot)
  const before = gaugeSamplesOf(snapshot, context, healthGauges)
  const gauges = gaugeSamplesOf(stalled, context, healthGauges).filter(
    ({ samples }, index) => JSON.stringify(samples) !== JSON.stringify(before[index]?.samples),
  )
  return {
    // Uncompressed: few read it, and every publication brings one.
    health: encodeJson(healthView(stalled, context), 'none'),
    gauges,
  }
}

/** Sends log lines to the thread that answers. Debug lines are dropped here unless they are wanted, because each message wakes that thread. */
export function logThrough(events: Channel<PipelineEvents>, lowest: keyof Log): Log {
  return {
    debug(event, fields) {
      if (lowest === 'debug') events.tell('log', ['debug', event, fields])
    },
    info: (event, fields) => events.tell('log', ['info', event, fields]),
    warn: (event, fields, kind) => events.tell('log', ['warn', event, fields, kind]),
    error: (event, fields, kind) => events.tell('log', ['error', event, fields, kind]),
  }
}

/** Sends counts to the thread that answers. */
export function reportThrough(events: Channel<PipelineEvents>): Report {
  return {
    count: (count) => events.tell('count', [count]),
    rankUsage: (ranking) => events.tell('rankUsage', [ranking]),
    countUsage: (increments, upstream) => events.tell('countUsage', [increments, upstream]),
    timeListRead: (seconds, upstream) => events.tell('timeListRead', [seconds, upstream]),
    setUsageWait: (since, upstream) => events.tell('setUsageWait', [since, upstream]),
    setBacklog: (seconds) => events.tell('setBacklog', [seconds]),
    setLag: (seconds) => events.tell('setLag', [seconds]),
  }
}

/** Reports about one of the configured proxies, labelled with its name. */
export function reportAbout(report: Report, upstream: UpstreamName): UpstreamReport {
  return {
    count: (count) => report.count({ ...count, upstream }),
    countUsage: (increments) => report.countUsage(increments, upstream),
    timeListRead: (seconds) => report.timeListRead(seconds, upstream),
    setUsageWait: (since) => report.setUsageWait(since, upstream),
  }
}

/** Sends the events that an evaluation found to the thread that answers. */
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
