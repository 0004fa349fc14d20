import { Counter, Histogram, type Registry } from 'prom-client'

/** Counts answered requests. Costs a fraction of a microsecond a request, because prom-client learns of them only when it is asked. */
export interface RequestTally {
  /** `seconds`: time to answer. */
  count(route: string, status: number, seconds: number): void
}

/** In seconds: our own answers take microseconds to milliseconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5]

interface RouteTally {
  /** Answers by status that prom-client does not have yet. */
  readonly untold: Map<number, number>
  /** Answers by the smallest bucket they fit into; the last is for what fits into none. */
  readonly byBucket: number[]
  seconds: number
}

/** Registers the two families of answered requests. */
export function createRequestTally(prefix: string, registry: Registry): RequestTally {
  const tallies = new Map<string, RouteTally>()
  const registers = [registry]
  new Counter({
    name: `${prefix}http_requests_total`,
    help: 'Answered requests, by route and status code.',
    labelNames: ['route', 'code'],
    registers,
    collect() {
      for (const [route, { untold }] of tallies) {
        for (const [status, count] of untold) this.inc({ route, code: String(status) }, count)
        untold.clear()
      }
    },
  })
  const name = `${prefix}http_request_duration_seconds`
  const help = 'Time to answer a request, by route.'
  const durations = new Histogram({
    name,
    help,
    labelNames: ['route'],
    buckets: BUCKETS,
    registers,
  })
  // A histogram of prom-client takes one observation at a time; this is what its text is made from.
  Object.assign(durations, {
    async getForPromString() {
      return {
        name,
        help,
        type: 'histogram',
        values: [...tallies].flatMap(([route, tally]) => histogramValues(name, route, tally)),
      }
    },
  })

  return {
    count(route, status, seconds) {
      let tally = tallies.get(route)
      if (tally === undefined) {
        tally = {
          untold: new Map(),
          byBucket: Array.from({ length: BUCKETS.length + 1 }, () => 0),
          seconds: 0,
        }
        tallies.set(route, tally)
      }
      tally.untold.set(status, (tally.untold.get(status) ?? 0) + 1)
      tally.seconds += seconds
      let bucket = 0
      while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket += 1
      tally.byBucket[bucket] = (tally.byBucket[bucket] ?? 0) + 1
    },
  }
}

function histogramValues(name: string, route: string, { byBucket, seconds }: RouteTally) {
  let count = 0
  const buckets = byBucket.map((inBucket, index) => {
    count += inBucket
    return {
      metricName: `${name}_bucket`,
      labels: { le: BUCKETS[index] ?? '+Inf', route },
      value: count,
    }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { route }, value: seconds },
    { metricName: `${name}_count`, labels: { route }, value: count },
  ]
}
