import type { Readiness } from '@svc/core/health'
import type { Log } from '@svc/core/service'
import { replacedIn } from '../answers/encode-json.ts'
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
  /** Health part of the served status; may be older than `ifStalled`. */
  let healthInStatus: string | null = null
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
      if (next.payloads.status !== undefined) healthInStatus = ifStalled?.inStatus.before ?? null
      readiness = next.readiness
      sampledAt = next.sampledAt
      metrics.onGauges(next.gauges, next.sampledAt)
      noteFirst()
      return true
    },
    /** Marks the served answers as no longer updated, after the pipeline was lost. */
    stall() {
      noteFirst()
      if (isStalled || shown === null || ifStalled === null || healthInStatus === null) return
      isStalled = true
      const { health, inStatus, gauges } = ifStalled
      const status = replacedIn(shown.status, healthInStatus, inStatus.after)
      shown = { ...shown, health, status }
      metrics.onGauges(gauges)
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

export type ShownPublication = ReturnType<typeof createShownPublication>
