import { createUsageLabels } from '@svc/core/usage'
import { type Report, UPSTREAM_LABEL } from '@svc/monitor'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Bucket bounds in seconds: the first token takes a fraction of a second to minutes. */
const FIRST_TOKEN_BUCKETS = [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120]

/** Registers the counters of stored usage, none if `seriesMax` is 0. */
export function createUsageCounters(
  prefix: string,
  registry: Registry,
  seriesMax: number,
): Pick<Report, 'rankUsage' | 'countUsage'> {
  if (seriesMax === 0) return { rankUsage: () => {}, countUsage: () => {} }
  const names = createUsageLabels(seriesMax)
  const registers = [registry]
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: prefix + name, help, labelNames, registers })
  const requests = counter(
    'usage_requests_total',
    'Requests stored by this process, by result; a failure without a status code is other.',
    ['provider', 'model', 'result', UPSTREAM_LABEL],
  )
  const tokens = counter('usage_tokens_total', 'Tokens of the stored requests, by class.', [
    'provider',
    'model',
    'class',
    UPSTREAM_LABEL,
  ])
  const cost = counter(
    'usage_cost_usd_total',
    'Cost in dollars of the stored requests by the list price of the API; those without a price are left out.',
    ['provider', 'model'],
  )
  const failures = counter('usage_failures_total', 'Stored requests that failed, by cause.', [
    'provider',
    'status',
    'code',
  ])
  const clientRequests = counter(
    'client_requests_total',
    'Stored requests by label of the client.',
    ['client'],
  )
  const clientTokens = counter('client_tokens_total', 'Tokens by label of the client.', ['client'])
  const clientCost = counter(
    'client_cost_usd_total',
    'Cost in dollars by label of the client, as in usage_cost_usd_total.',
    ['client'],
  )
  const firstToken = new Histogram({
    name: `${prefix}usage_first_token_seconds`,
    help: 'Time to the first token of the stored requests that have one.',
    labelNames: ['provider'],
    buckets: FIRST_TOKEN_BUCKETS,
    registers,
  })
  let hasCounted = false
  new Gauge({
    name: `${prefix}metrics_series_dropped`,
    help: 'Models, clients, causes and providers that count as _overflow_, at most 10,000 of each; absent before the first request.',
    registers,
    collect() {
      if (hasCounted) this.set(names.droppedCount())
      else this.remove()
    },
  })

  return {
    rankUsage: names.rank,
    countUsage(increments, upstream) {
      hasCounted = true
      const about = upstream === undefined ? {} : { [UPSTREAM_LABEL]: upstream }
      for (const { sum, ...pair } of increments.models) {
        const labels = names.ofModel(pair)
        const { failedAuth: auth, failedLimit: limit, failedVendor: vendor } = sum
        const other = sum.failed - auth - limit - vendor
        const results = { ok: sum.requests - sum.failed, auth, limit, vendor, other }
        for (const [result, by] of Object.entries(results))
          requests.inc({ ...labels, result, ...about }, by)
        const { tokensIn, tokensCached: cached, tokensWritten: written, tokensOut: out } = sum
        const unclassified = sum.tokens - tokensIn - cached - written - out
        const classes = { in: tokensIn, cached, written, out, unclassified }
        for (const [name, by] of Object.entries(classes))
          tokens.inc({ ...labels, class: name, ...about }, by)
      }
      for (const { usd, client: name, ...pair } of increments.costs) {
        cost.inc(names.ofModel(pair), usd)
        clientCost.inc(names.ofClient(name), usd)
      }
      for (const { client: name, ...sum } of increments.clients) {
        const labels = names.ofClient(name)
        clientRequests.inc(labels, sum.requests)
        clientTokens.inc(labels, sum.tokens)
      }
      for (const cause of increments.failures) failures.inc(names.ofCause(cause), cause.requests)
      for (const { provider, seconds } of increments.firstTokens) {
        const series = firstToken.labels(names.ofProvider(provider))
        for (const one of seconds) series.observe(one)
      }
    },
  }
}
