import { type CounterRow, eventCounters, type Report, UPSTREAM_LABEL } from '@svc/monitor'
import { Counter, Histogram, type Registry } from 'prom-client'

/** Counters of one proxy without another label: with several proxies each has its own series. */
const unlabelledNames = (Object.entries(eventCounters) as [string, CounterRow][]).flatMap(
  ([name, { labels, ofUpstream }]) => (labels.length === 0 && ofUpstream === true ? [name] : []),
)

/** Bucket bounds in seconds: upstream calls take milliseconds to a minute. */
const REFRESH_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Registers the counters, then the histogram of reading the account list. */
export function createEventCounters(
  prefix: string,
  registry: Registry,
): Pick<Report, 'count' | 'timeListRead'> {
  const registers = [registry]
  const counters = new Map<string, Counter>()
  for (const [name, row] of Object.entries<CounterRow>(eventCounters)) {
    const { help, labels, shownAtStart = [], ofUpstream } = row
    const labelNames = [...labels, ...(ofUpstream === true ? [UPSTREAM_LABEL] : [])]
    const counter = new Counter({ name: prefix + name, help, labelNames, registers })
    for (const value of shownAtStart) counter.labels(value).inc(0)
    if (labels.length === 0) counter.inc(0)
    counters.set(name, counter)
  }
  const refreshSeconds = new Histogram({
    name: `${prefix}refresh_duration_seconds`,
    help: 'Time to read the account list.',
    labelNames: [UPSTREAM_LABEL],
    buckets: REFRESH_BUCKETS,
    registers,
  })
  refreshSeconds.zero({})
  /** Unlabelled series shown as 0 before the first count; each is removed as soon as a proxy is counted by name. */
  const nobodys = new Set([...unlabelledNames.map((name) => counters.get(name)), refreshSeconds])
  const take = (metric: Counter | Histogram, upstream: string | undefined) => {
    if (nobodys.delete(metric) && upstream !== undefined) metric.remove({})
  }
  return {
    count({ counter: name, by = 1, ...labels }) {
      const counter = counters.get(name)
      if (counter === undefined) return
      take(counter, 'upstream' in labels ? labels.upstream : undefined)
      counter.inc(labels, by)
    },
    timeListRead(seconds, upstream) {
      take(refreshSeconds, upstream)
      refreshSeconds.observe(upstream === undefined ? {} : { upstream }, seconds)
    },
  }
}
