/** Metrics of a usage chart, in the order and groups of the control. */
export const metricFamilies = [
  ['tokens', 'requests'],
  ['input', 'cached', 'output', 'cache_share'],
  ['latency_p50', 'latency_p95', 'first_token_p50', 'first_token_p95'],
  ['failed', 'failed_auth', 'failed_limit', 'failed_vendor'],
] as const satisfies readonly (readonly string[])[]

const [, tokens, times, failures] = metricFamilies

/** Metrics that explain a chosen one: the causes of failures, the times of requests, or else the kinds of tokens. */
export function relatedMetrics(metric: string): readonly string[] {
  const isOf = (family: readonly string[]) => family.includes(metric)
  if (isOf(failures)) return failures.slice(1)
  return isOf(times) ? times : tokens
}

/** Whether a metric adds up, so that its lines can be stacked. */
export function hasAreas(metric: string): boolean {
  return metric !== 'cache_share' && !(times as readonly string[]).includes(metric)
}
