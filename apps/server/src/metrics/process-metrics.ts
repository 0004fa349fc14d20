import { collectDefaultMetrics, Registry } from 'prom-client'

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

/** The metrics of this process, read at each scrape: how long the event loop was blocked must show in the next one. */
export function createProcessMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS })
  for (const name of UNWANTED_DEFAULTS) registry.removeSingleMetric(name)
  return registry
}
