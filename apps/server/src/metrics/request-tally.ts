/** Counts answered requests. Costs a fraction of a microsecond a request, because text is made of the counts only when it is asked for. */
export interface RequestTally {
  /** `seconds`: time to answer. */
  count(route: string, status: number, seconds: number): void
  /** The two families of answered requests, as text exposition 0.0.4. */
  text(): string
}

/** In seconds: our own answers take microseconds to milliseconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5]

interface RouteTally {
  readonly answersByStatus: Map<number, number>
  /** Answers by the smallest bucket they fit into; the last is for what fits into none. */
  readonly byBucket: number[]
  seconds: number
}

export function createRequestTally(prefix: string): RequestTally {
  const tallies = new Map<string, RouteTally>()
  const total = `${prefix}http_requests_total`
  const duration = `${prefix}http_request_duration_seconds`
  return {
    count(route, status, seconds) {
      let tally = tallies.get(route)
      if (tally === undefined) {
        tally = {
          answersByStatus: new Map(),
          byBucket: Array.from({ length: BUCKETS.length + 1 }, () => 0),
          seconds: 0,
        }
        tallies.set(route, tally)
      }
      tally.answersByStatus.set(status, (tally.answersByStatus.get(status) ?? 0) + 1)
      tally.seconds += seconds
      let bucket = 0
      while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket += 1
      tally.byBucket[bucket] = (tally.byBucket[bucket] ?? 0) + 1
    },
    text() {
      const routes = [...tallies].map(
        ([route, tally]) => [`route="${escaped(route)}"`, tally] as const,
      )
      return [
        `# HELP ${total} Answered requests, by route and status code.`,
        `# TYPE ${total} counter`,
        ...routes.flatMap(([label, tally]) => counterLines(total, label, tally)),
        '',
        `# HELP ${duration} Time to answer a request, by route.`,
        `# TYPE ${duration} histogram`,
        ...routes.flatMap(([label, tally]) => histogramLines(duration, label, tally)),
        '',
      ].join('\n')
    },
  }
}

function counterLines(name: string, label: string, { answersByStatus }: RouteTally) {
  return [...answersByStatus].map(
    ([status, count]) => `${name}{${label},code="${status}"} ${count}`,
  )
}

function histogramLines(name: string, label: string, { byBucket, seconds }: RouteTally) {
  let count = 0
  const buckets = byBucket.map((inBucket, index) => {
    count += inBucket
    return `${name}_bucket{le="${BUCKETS[index] ?? '+Inf'}",${label}} ${count}`
  })
  return [...buckets, `${name}_sum{${label}} ${seconds}`, `${name}_count{${label}} ${count}`]
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
}
