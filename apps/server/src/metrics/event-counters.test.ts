import { epochMs } from '@svc/core'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createEventCounters, type EventCounters } from './event-counters.ts'

const at = epochMs

async function samplesAfter(happened: (counters: EventCounters) => void) {
  const registry = new Registry()
  happened(createEventCounters('', registry))
  return (await registry.metrics()).split('\n')
}

it.each<{
  readonly what: string
  readonly happened: (counters: EventCounters) => void
  readonly expected: readonly string[]
}>([
  {
    what: 'a refused request counts under its reason alone',
    happened: ({ onDenied }) => onDenied('origin'),
    expected: [
      'http_guard_denied_total{reason="origin"} 1',
      'http_guard_denied_total{reason="host"} 0',
    ],
  },
  {
    what: 'each way a manual refresh can end is there before one has ended',
    happened: () => undefined,
    expected: [
      'manual_refresh_total{result="completed"} 0',
      'manual_refresh_total{result="partial"} 0',
      'manual_refresh_total{result="failed"} 0',
    ],
  },
  {
    what: 'a gap counts in seconds',
    happened: ({ onGap }) => onGap({ from: at(10_000), to: at(12_500) } as never),
    expected: ['usage_gap_seconds_total 2.5'],
  },
  {
    what: 'a gap whose clock went back counts nothing',
    happened: ({ onGap }) => onGap({ from: at(12_500), to: at(10_000) } as never),
    expected: ['usage_gap_seconds_total 0'],
  },
  {
    what: 'records count by what became of them, round after round',
    happened: ({ onUsage }) => {
      for (const stored of [3, 4])
        onUsage({ stored, duplicate: 1, quarantined: 0, expired: 2 } as never)
    },
    expected: [
      'usage_rows_ingested_total 7',
      'usage_rows_duplicate_total 2',
      'usage_rows_quarantined_total 0',
      'usage_rows_expired_total 4',
    ],
  },
  {
    what: 'only a list that was read counts among the times of reading it',
    happened: ({ collectorReport }) => {
      collectorReport.accountRefresh('ok', 0.2)
      collectorReport.accountRefresh('failed', 9)
      collectorReport.accountRefresh('held', 0)
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
