import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createEventCounters } from './counted-events.ts'

type Report = ReturnType<typeof createEventCounters>

async function samplesAfter(happened: (report: Report) => void) {
  const registry = new Registry()
  happened(createEventCounters('', registry))
  return (await registry.metrics()).split('\n')
}

it.each<{
  readonly what: string
  readonly happened: (report: Report) => void
  readonly expected: readonly string[]
}>([
  {
    what: 'a refused request counts under its reason alone',
    happened: ({ count }) => count({ counter: 'http_guard_denied_total', reason: 'origin' }),
    expected: [
      'http_guard_denied_total{reason="origin"} 1',
      'http_guard_denied_total{reason="host"} 0',
    ],
  },
  {
    what: 'each way a manual refresh can end is shown before one has ended',
    happened: () => undefined,
    expected: [
      'manual_refresh_total{result="completed"} 0',
      'manual_refresh_total{result="partial"} 0',
      'manual_refresh_total{result="failed"} 0',
    ],
  },
  {
    what: 'a counter without labels is shown before anything was counted',
    happened: () => undefined,
    expected: ['usage_rows_ingested_total 0', 'http_connections_refused_total 0'],
  },
  {
    what: 'counts add up, each by as much as it says',
    happened({ count }) {
      for (const by of [3, 4, 0]) count({ counter: 'usage_rows_ingested_total', by })
      for (const by of [0.5, 2]) count({ counter: 'usage_gap_seconds_total', by })
    },
    expected: ['usage_rows_ingested_total 7', 'usage_gap_seconds_total 2.5'],
  },
  {
    what: 'what happens at each of several proxies counts under its name, and no more under none',
    happened({ count, timeListRead }) {
      for (const upstream of ['tokyo', 'berlin', 'tokyo']) {
        count({ counter: 'usage_gap_seconds_total', by: 0, upstream })
        count({ counter: 'refresh_total', result: 'ok', upstream })
        timeListRead(0.2, upstream)
      }
    },
    expected: [
      'usage_gap_seconds_total{upstream="tokyo"} 0',
      'refresh_total{result="ok",upstream="tokyo"} 2',
      'refresh_total{result="ok",upstream="berlin"} 1',
      'refresh_duration_seconds_count{upstream="tokyo"} 2',
    ],
  },
  {
    what: 'a count with two labels counts under both',
    happened({ count }) {
      count({ counter: 'direct_quota_probes_total', class: 'primary', result: 'ok' })
      count({ counter: 'direct_quota_probes_total', class: 'primary', result: 'auth' })
    },
    expected: [
      'direct_quota_probes_total{class="primary",result="ok"} 1',
      'direct_quota_probes_total{class="primary",result="auth"} 1',
    ],
  },
  {
    what: 'the time of reading the account list is kept apart from how the readings ended',
    happened({ count, timeListRead }) {
      for (const result of ['ok', 'failed', 'held']) count({ counter: 'refresh_total', result })
      timeListRead(0.2)
    },
    expected: [
      'refresh_total{result="ok"} 1',
      'refresh_total{result="failed"} 1',
      'refresh_total{result="held"} 1',
      'refresh_duration_seconds_count 1',
      'refresh_duration_seconds_sum 0.2',
    ],
  },
])('$what', async ({ happened, expected }) => {
  expect(await samplesAfter(happened)).toEqual(expect.arrayContaining([...expected]))
})

it('what is counted of several proxies is not shown as 0 of none of them', async () => {
  const lines = await samplesAfter(({ count, timeListRead }) => {
    count({ counter: 'usage_rows_ingested_total', by: 3, upstream: 'tokyo' })
    timeListRead(0.2, 'tokyo')
  })

  expect(lines).not.toContain('usage_rows_ingested_total 0')
  expect(lines.filter((line) => /^refresh_duration_seconds_(count|sum) /.test(line))).toEqual([])
  expect(lines).toContain('usage_gap_seconds_total 0')
})
