import { expect, it } from 'vitest'
import { createProcessMetrics } from './process-metrics.ts'

const cpuSecondsIn = (text: string) =>
  Number(/^process_cpu_user_seconds_total ([\d.]+)$/m.exec(text)?.[1])

it('the metrics of the process are read at each scrape', async () => {
  const registry = createProcessMetrics()
  const first = cpuSecondsIn(await registry.metrics())
  const started = process.cpuUsage()
  while (process.cpuUsage(started).user < 10_000);

  expect(cpuSecondsIn(await registry.metrics())).toBeGreaterThan(first)
})

it('defaults of prom-client that promtool rejects are left out', async () => {
  const text = await createProcessMetrics().metrics()

  expect(text).toContain('nodejs_eventloop_lag_max_seconds')
  expect(text).not.toMatch(/nodejs_active_\w+_total|lag_mean|lag_stddev/)
})
