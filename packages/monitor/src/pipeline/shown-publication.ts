import type { Readiness } from '@svc/core/health'
import type { Log } from '@svc/core/service'
import type { Health, Recommendations, StatusSnapshot } from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import type {
  FilteredPayload,
  FilteredReading,
  PayloadName,
  Payloads,
  ReadyAnswer,
} from '../answers/ready-answer.ts'
import type { IfStalled } from '../evaluation/publisher.ts'
import type { Report } from '../metrics/event-counters.ts'
import type { GaugeSamples } from '../metrics/snapshot-gauge.ts'
import { ChannelError } from '../threads/channel.ts'
import type { Publication } from './pipeline-api.ts'

/** Counts, and the gauges of the latest publication. */
export interface PublishedMetrics extends Report {
  /** Replaces the gauge values. `sampledAt`: instant of the account list; null before one was read, left out if unchanged. */
  onGauges(gauges: readonly GaugeSamples[], sampledAt?: number | null): void
}

/** Maximum number of answers about parts of the pool that stay served after the pipeline was lost. */
const PARTS_MAX = 4

/** The latest publication, piece by piece, as readers and scrapers see it. */
export function createShownPublication(metrics: Pick<PublishedMetrics, 'onGauges'>, log: Log) {
  let shown: Payloads | null = null
  let ifStalled: IfStalled | null = null
  let readiness: Readiness = 'not_ready'
  let sampledAt: number | null = null
  let isStalled = false
  /** Last answers about parts of the pool, the oldest first. */
  let parts: ReadonlyMap<string, { readonly of: FilteredReading; readonly answer: ReadyAnswer }> =
    new Map()
  let noteFirst = () => {}
  const first = new Promise<void>((resolve) => {
    noteFirst = resolve
  })
  return {
    /** Resolves with the first publication, or if the pipeline is lost before it. */
    first,
    /** Shows a publication; false if it is not shown, because the served answers know more. */
    publish(next: Publication) {
      // A pipeline that has just restarted knows less than the answers still served.
      if (isStalled && next.sampledAt === null && sampledAt !== null) return false
      if (isStalled) log.info('pipeline publishes again')
      isStalled = false
      shown = shown === null ? (next.payloads as Payloads) : { ...shown, ...next.payloads }
      ifStalled = next.ifStalled ?? ifStalled
      readiness = next.readiness
      sampledAt = next.sampledAt
      metrics.onGauges(next.gauges, next.sampledAt)
      noteFirst()
      return true
    },
    /** Marks the served answers as no longer updated, after the pipeline was lost. */
    stall() {
      noteFirst()
      if (isStalled || shown === null || ifStalled === null) return
      isStalled = true
      const { health } = ifStalled
      shown = {
        ...shown,
        health,
        status: stalledAnswer('status', shown.status, health),
        recommendations: stalledAnswer('recommendations', shown.recommendations, health),
      }
      parts = new Map(
        [...parts].map(([key, { of, answer }]) => [
          key,
          { of, answer: stalledAnswer(of.payload, answer, health) },
        ]),
      )
      metrics.onGauges(ifStalled.gauges)
    },
    isEmpty: () => shown === null,
    /** Throws ChannelError before the first publication. */
    payload(name: PayloadName): ReadyAnswer {
      if (shown === null) throw new ChannelError('crashed')
      return shown[name]
    },
    /**
     * An answer about part of the pool by the pipeline, which is kept, or the kept one while the pipeline is lost: a new one knows less. Throws
     * ChannelError if none is kept.
     */
    async part(of: FilteredReading, ask: () => Promise<FilteredPayload>): Promise<FilteredPayload> {
      const key = JSON.stringify(of)
      const answered = isStalled ? parts.get(key) : await ask()
      if (answered === undefined) throw new ChannelError('crashed')
      if (isStalled || !('answer' in answered)) return answered
      const others = [...parts].filter(([other]) => other !== key).slice(1 - PARTS_MAX)
      parts = new Map([...others, [key, { of, answer: answered.answer }]])
      return answered
    },
    readiness: (): Readiness => readiness,
  }
}

/** A payload, possibly older than the stalled health, with what that health says of the stall, in each provider's row too. */
function stalledAnswer(
  name: FilteredReading['payload'],
  made: ReadyAnswer,
  stalled: ReadyAnswer,
): ReadyAnswer {
  const parsed = <Payload>({ plain }: ReadyAnswer) =>
    JSON.parse(new TextDecoder().decode(plain.bytes)) as Payload
  const { state, summary, pill, actions, actionCount, answer, pools } = parsed<Health>(stalled)
  const row = pools?.[0]
  const withRows = <Payload extends Pick<Recommendations, 'pools'>>(payload: Payload): Payload => ({
    ...payload,
    pools: payload.pools?.map((pool) => ({ ...pool, tone: row?.tone, answer: row?.answer })),
  })
  const amended = {
    capacity: () => parsed<object>(made),
    recommendations: () => withRows(parsed<Recommendations>(made)),
    health: () => ({
      ...withRows(parsed<Health>(made)),
      ...{ state, summary, pill, actions, actionCount, answer },
    }),
    status() {
      const status = parsed<StatusSnapshot>(made)
      const health = { healthState: state, healthActionCount: actionCount, answer }
      return {
        ...status,
        summary: { ...status.summary, ...health },
        recommendations: withRows(status.recommendations),
      }
    },
  }
  return encodeJson(amended[name](), made.compression)
}

export type ShownPublication = ReturnType<typeof createShownPublication>
