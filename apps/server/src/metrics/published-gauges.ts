import type { Clock } from '@svc/core/service'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { type GaugeSamples, snapshotGauges } from './metric-families.ts'

/** Looking every 10 ms, the default, alone takes twice the processor time an idle service may take in all. */
const LAG_SAMPLE_MS = 100

/** prom-client's own metrics we do without: gauges named like counters, which promtool rejects, and means that are `Nan` until sampled. */
const UNWANTED_DEFAULTS = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_stddev_seconds',
]

/** Text that is older is made anew for the scrape: a pipeline that hangs must not hide what the process takes. */
const TEXT_MS_MAX = 20_000

/** Gauges of the snapshot and of the process. Reading those of the process takes a millisecond and a turn of the event loop. */
export interface PublishedGauges {
  /** Takes the values of a publication and begins their text, so that it is ready for the next scrape. */
  publish(gauges: readonly GaugeSamples[]): void
  /** The text of the last publication; made now when there is none or when it is older than `TEXT_MS_MAX`. */
  text(): Promise<string>
}

export function createPublishedGauges(prefix: string, clock: Clock): PublishedGauges {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS })
  for (const name of UNWANTED_DEFAULTS) registry.removeSingleMetric(name)
  const gauges = new Map(
    snapshotGauges.map(({ name, help, labels = [] }) => [
      name,
      {
        isLabelled: labels.length > 0,
        gauge: new Gauge({
          name: prefix + name,
          help,
          labelNames: [...labels],
          registers: [registry],
        }),
      },
    ]),
  )
  let made: { readonly text: Promise<string>; readonly atMs: number } | null = null

  const render = (): Promise<string> => {
    made = { text: registry.metrics(), atMs: clock.monotonicMs() }
    return made.text
  }

  return {
    publish(values) {
      for (const { name, samples } of values) {
        const known = gauges.get(name)
        if (known === undefined) continue
        const { gauge, isLabelled } = known
        // A label set that is gone must not keep its last value.
        if (isLabelled) gauge.reset()
        else gauge.remove()
        for (const { labels, value } of samples) gauge.set(labels ?? {}, value)
      }
      // A failure meets the scrape that asks for the text.
      render().catch(() => undefined)
    },
    text: () =>
      made === null || clock.monotonicMs() - made.atMs > TEXT_MS_MAX ? render() : made.text,
  }
}
