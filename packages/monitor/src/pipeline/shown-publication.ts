import type { Readiness } from '@svc/core/health'
import type { Log } from '@svc/core/service'
import type { Health, Recommendations, StatusSnapshot } from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import type { PayloadName, Payloads, ReadyAnswer } from '../answers/ready-answer.ts'
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

/** The latest publication, piece by piece, as readers and scrapers see it. */
export function createShownPublication(metrics: Pick<PublishedMetrics, 'onGauges'>, log: Log) {
  let shown: Payloads | null = null
  let ifStalled: IfStalled | null = null
  let readiness: Readiness = 'not_ready'
  let sampledAt: number | null = null
  let isStalled = false
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
      shown = stalledPayloads(shown, ifStalled.health)
      metrics.onGauges(ifStalled.gauges)
    },
    isEmpty: () => shown === null,
    /** Throws ChannelError before the first publication. */
    payload(name: PayloadName): ReadyAnswer {
      if (shown === null) throw new ChannelError('crashed')
      return shown[name]
    },
    readiness: (): Readiness => readiness,
  }
}

/** The payloads with the stalled health and its answers, in the status and in each provider's row. Payloads may be older than that health. */
function stalledPayloads(payloads: Payloads, health: ReadyAnswer): Payloads {
  const parsed = <Payload>({ plain }: ReadyAnswer) =>
    JSON.parse(new TextDecoder().decode(plain.bytes)) as Payload
  const { state, actionCount, answer, pools: stalledPools } = parsed<Health>(health)
  const row = stalledPools?.[0]
  const stalledRanking = (ranking: Recommendations): Recommendations => ({
    ...ranking,
    pools: ranking.pools?.map((pool) => ({ ...pool, tone: row?.tone, answer: row?.answer })),
  })
  const status = parsed<StatusSnapshot>(payloads.status)
  const summary = {
    ...status.summary,
    healthState: state,
    healthActionCount: actionCount,
    answer,
  }
  const recommendations = stalledRanking(status.recommendations)
  return {
    ...payloads,
    health,
    status: encodeJson({ ...status, summary, recommendations }, payloads.status.compression),
    recommendations: encodeJson(
      stalledRanking(parsed<Recommendations>(payloads.recommendations)),
      payloads.recommendations.compression,
    ),
  }
}

export type ShownPublication = ReturnType<typeof createShownPublication>
