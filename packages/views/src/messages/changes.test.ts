import type { EpochMs } from '@svc/core'
import type { ChangeDetail } from '@svc/core/pool'
import { fromNow, NOW } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { changeWords } from './health-words.ts'
import { createWording } from './wording.ts'

const text = createWording('Asia/Shanghai')
const benchmark = (generatedAt: EpochMs | null) => ({
  generatedAt,
  speedup: 1.8437,
  tokenOverheadRatio: null,
  weeklyToFiveHourMultiplier: 6,
})

it.each<[ChangeDetail, string]>([
  [
    { code: 'account_renamed', title: 'a', fromAuthName: 'old.json', toAuthName: 'new.json' },
    'account | a | Renamed | File is new.json, was old.json.',
  ],
  [
    { code: 'plan_changed', title: 'a', from: 'plus', to: 'pro' },
    'plan | a | Pro | Plan is Pro, was Plus.',
  ],
  [
    {
      code: 'status_changed',
      title: 'a',
      from: 'active',
      to: 'reset_scheduled',
      toReason: 'quota_exhausted_5h',
      until: fromNow(2460),
    },
    'status | a | 5h quota used up | Status is 5h quota used up; it was Active. Until 20:41.',
  ],
  [
    {
      code: 'status_changed',
      title: 'a',
      from: 'retry_after',
      fromReason: 'upstream_retry_after',
      to: 'reset_scheduled',
      toReason: 'upstream_retry_after',
      until: fromNow(2460),
    },
    'status | a | Held back | Status is still Held back. Until 20:41.',
  ],
  [
    { code: 'status_changed', title: 'a', from: 'reset_scheduled', to: 'active', until: null },
    'status | a | Active | Status is Active; it was Quota used up.',
  ],
  [
    { code: 'window_exhausted', title: 'a', windowId: '5h' },
    'quota | a | Used up | 5h quota used up.',
  ],
  [
    {
      code: 'vendor_reset',
      provider: 'codex',
      windowId: 'week',
      accountCount: 12,
      units: 8.43,
      seenAt: fromNow(-420),
    },
    'source | Vendor | Reset | Weekly quota of at least 12 accounts came back before its reset, 8.4 Plus. First seen at 19:53.',
  ],
  [
    {
      code: 'vendor_reset',
      provider: 'codex',
      windowId: '5h',
      accountCount: 1,
      seenAt: fromNow(-420),
    },
    'source | Vendor | Reset | 5h quota of at least one account came back before its reset. First seen at 19:53.',
  ],
  [
    { code: 'source_changed', from: 'live', to: 'partial' },
    'source | Sources | Partial | Some sources failed.',
  ],
  [{ code: 'gateway_changed', up: true }, 'source | Gateway | Up | The proxy answers again.'],
  [
    { code: 'benchmark_changed', from: benchmark(fromNow(-86_400)), to: benchmark(fromNow(0)) },
    'benchmark | Benchmark summary | New | The run of 20 Nov 20:00: median speed-up 1.84 ×, suggests weekly_to_five_hour_multiplier = 6. It replaces that of 19 Nov 20:00.',
  ],
  [
    {
      code: 'benchmark_changed',
      from: benchmark(null),
      to: { ...benchmark(null), speedup: null, weeklyToFiveHourMultiplier: null },
    },
    'benchmark | Benchmark summary | New | A run without a date: no figures. It replaces that without a date.',
  ],
])('%j is worded', (detail, expected) => {
  const { kind, title, badge, summary } = changeWords(detail, NOW, text)

  expect([kind, title, badge, summary].join(' | ')).toBe(expected)
})
