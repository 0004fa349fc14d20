import { defaultPolicy, type EpochMs, evaluateSnapshot, type Observation } from '@svc/core'
import { noTrends, type RecentChange } from '@svc/core/pool'
import type { HistoryState } from '@svc/core/service'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  evidenceOf,
  fromNow,
  NOW,
  virtualClock,
} from '@svc/core/testing'
import { type CountedIncrements, emptySum } from '@svc/core/usage'
import { gaugeSamplesOf } from '@svc/monitor'
import { Registry } from 'prom-client'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEventCounters,
  createMetrics,
  createProcessMetrics,
  createPublishedGauges,
  type PublishedGauges,
} from './metrics.ts'

const NO_CONTEXT = {
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const
const clock = virtualClock(async () => undefined)
const evaluate = (observation: Observation) =>
  evaluateSnapshot(observation, defaultPolicy, NOW, { previous: null, recordedChanges: [] })

async function linesAfter(observation: Observation, ...before: readonly Observation[]) {
  const metrics = createMetrics({ clock, version: '1.2.3', seriesMax: 100 })
  for (const one of [...before, observation])
    metrics.onGauges(gaugeSamplesOf(evaluate(one), NO_CONTEXT), evaluate(one).sampledAt)
  return (await metrics.render()).split('\n')
}

const two = aLiveObservation([
  [
    anAccount('good'),
    evidenceOf([
      aQuotaSample({
        fiveHour: 50,
        week: 80,
        fiveHourResetsInSeconds: 600,
        weekResetsInSeconds: 5_000,
      }),
    ]),
  ],
  [
    anAccount('dead', {
      claimedPlan: 'quorum',
      message: { kind: 'auth_fault', code: 'token_invalidated', deactivated: false },
      messageAt: NOW,
    }),
    null,
  ],
])
const never = aLiveObservation([], {
  sources: {
    accounts: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null },
    gateway: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null },
  },
})

const openHistory: HistoryState = {
  kind: 'ok',
  at: NOW,
  missedSeconds: 0,
  backlogSeconds: null,
  lagSeconds: 0,
  isStandby: false,
  readFailure: null,
  engine: { name: 'sqlite', walBytes: 0 },
}

const increments: CountedIncrements = {
  models: [
    {
      provider: 'codex',
      model: 'gpt-5',
      sum: { ...emptySum(), requests: 5, failed: 3, failedLimit: 2, tokens: 20, tokensIn: 15 },
    },
    { provider: 'codex', model: 'o"1', sum: { ...emptySum(), requests: 2 } },
    { provider: 'codex', model: 'o2', sum: { ...emptySum(), requests: 4 } },
  ],
  clients: [
    { client: '_unlabelled_', requests: 6, tokens: 20 },
    { client: 'Alice', requests: 5, tokens: 0 },
    { client: 'Bob', requests: 1, tokens: 0 },
  ],
  failures: [{ provider: 'codex', status: 429, code: 'usage_limit_reached', requests: 2 }],
  firstTokens: [{ provider: 'codex', seconds: [0.3, 5, 500] }],
  costs: [
    { provider: 'codex', model: 'gpt-5', client: 'Alice', usd: 0.25 },
    { provider: 'codex', model: 'o"1', client: '_unlabelled_', usd: 2 },
  ],
}

async function usageLinesAfter(
  seriesMax: number,
  counted: (metrics: ReturnType<typeof createMetrics>) => void,
) {
  const metrics = createMetrics({ clock, version: '1', seriesMax })
  counted(metrics)
  return [...(await metrics.render()).matchAll(/^svc_quota_monitor_(.*)$/gm)].flatMap(
    ([, line = '']) =>
      /^(?:usage_(?:requests|tokens|cost|failures|first)|client_|metrics_)/.test(line)
        ? [line]
        : [],
  )
}

describe('metrics of usage', () => {
  it('count stored requests by result, tokens by class, clients, causes and first tokens', async () => {
    const lines = await usageLinesAfter(100, (metrics) => {
      metrics.countUsage(increments)
      metrics.countUsage(increments)
    })

    for (const line of [
      'usage_requests_total{provider="codex",model="gpt-5",result="ok"} 4',
      'usage_requests_total{provider="codex",model="gpt-5",result="auth"} 0',
      'usage_requests_total{provider="codex",model="gpt-5",result="limit"} 4',
      'usage_requests_total{provider="codex",model="gpt-5",result="other"} 2',
      'usage_requests_total{provider="codex",model="o\\"1",result="ok"} 4',
      'usage_tokens_total{provider="codex",model="gpt-5",class="in"} 30',
      'usage_tokens_total{provider="codex",model="gpt-5",class="unclassified"} 10',
      'usage_cost_usd_total{provider="codex",model="gpt-5"} 0.5',
      'usage_failures_total{provider="codex",status="429",code="usage_limit_reached"} 4',
      'client_requests_total{client="_unlabelled_"} 12',
      'client_tokens_total{client="_unlabelled_"} 40',
      'client_cost_usd_total{client="Alice"} 0.5',
      'client_cost_usd_total{client="_unlabelled_"} 4',
      'usage_first_token_seconds_bucket{le="0.5",provider="codex"} 2',
      'usage_first_token_seconds_bucket{le="120",provider="codex"} 4',
      'usage_first_token_seconds_count{provider="codex"} 6',
      'metrics_series_dropped 0',
    ])
      expect(lines).toContain(line)
  })

  it('give places to the ranked first, and count the rest together', async () => {
    const lines = await usageLinesAfter(1, (metrics) => {
      metrics.rankUsage({ models: [{ provider: 'codex', model: 'o2' }], clients: ['Bob'] })
      metrics.countUsage(increments, 'tokyo')
    })

    for (const line of [
      'usage_requests_total{provider="codex",model="o2",result="ok",upstream="tokyo"} 4',
      'usage_requests_total{provider="codex",model="_overflow_",result="ok",upstream="tokyo"} 4',
      'usage_cost_usd_total{provider="codex",model="_overflow_"} 2.25',
      'client_requests_total{client="Bob"} 1',
      'client_requests_total{client="_overflow_"} 5',
      'metrics_series_dropped 3',
    ])
      expect(lines).toContain(line)
  })

  it.each([
    ['before any request', 100, () => undefined],
    [
      'if they are off',
      0,
      (metrics: ReturnType<typeof createMetrics>) => metrics.countUsage(increments),
    ],
  ])('have no series %s', async (_, seriesMax, counted) => {
    expect(await usageLinesAfter(seriesMax, counted)).toEqual([])
  })
})

describe('metrics', () => {
  it('name the proxy of what is of one of several, and of nothing else', async () => {
    const lost = never.sources.gateway
    const failed = { kind: 'failed', code: 'unreachable', at: NOW } as const
    const tokyo = { ...two, sources: { ...two.sources, gateway: { ...lost, outcome: failed } } }
    const lines = await linesAfter({
      ...two,
      upstreams: [
        { ...tokyo, name: 'tokyo' },
        { ...two, name: 'berlin' },
      ],
    })

    for (const line of [
      'svc_quota_monitor_gateway_up{upstream="tokyo"} 0',
      'svc_quota_monitor_gateway_up{upstream="berlin"} 1',
      `svc_quota_monitor_last_success_timestamp_seconds{source="accounts",upstream="berlin"} ${NOW / 1000}`,
      'svc_quota_monitor_routable_accounts 1',
    ])
      expect(lines).toContain(line)
    expect(lines).not.toContain('svc_quota_monitor_gateway_up 1')
  })

  it('count an account that several proxies list once, and what blocks it at any of them', async () => {
    const dead = {
      message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false },
      messageAt: NOW,
    } as const
    const lines = await linesAfter(
      aLiveObservation([
        [anAccount('alice', { upstream: 'tokyo' }), null],
        [anAccount('alice', { upstream: 'berlin', ...dead }), null],
        [anAccount('alice', { upstream: 'paris', ...dead }), null],
      ]),
    )

    for (const line of [
      'svc_quota_monitor_routable_accounts 1',
      'svc_quota_monitor_blocked_accounts 0',
      'svc_quota_monitor_blocked_accounts_by_reason{reason="auth_invalid"} 1',
      'svc_quota_monitor_accounts{plan="plus"} 1',
    ])
      expect(lines).toContain(line)
  })

  it('keep the time of the last reset of each window by the vendor, of an earlier process too', async () => {
    const reset = (windowId: string, seenAt: EpochMs): RecentChange => ({
      at: NOW,
      tone: 'good',
      detail: { code: 'vendor_reset', provider: 'codex', windowId, accountCount: 3, seenAt },
    })
    const recordedChanges = [reset('week', fromNow(-60)), reset('week', fromNow(-90_000))]
    const first = evaluateSnapshot(two, defaultPolicy, NOW, { previous: null, recordedChanges })
    const next = evaluateSnapshot(two, defaultPolicy, NOW, { previous: first, recordedChanges: [] })
    const [gauge] = gaugeSamplesOf(next, NO_CONTEXT).filter(
      ({ name }) => name === 'vendor_reset_timestamp_seconds',
    )

    expect(gauge?.samples).toEqual([{ labels: { window: 'week' }, value: NOW / 1000 - 60 }])
  })

  it('leave out what is not known', async () => {
    const lines = await linesAfter(never)

    const samples = lines.filter((line) => !line.startsWith('#'))
    for (const name of [
      'gateway_up',
      'snapshot_age_seconds',
      'capacity_next_recovery',
      'last_success_timestamp_seconds{source="accounts"}',
    ]) {
      expect(samples.filter((line) => line.startsWith(`svc_quota_monitor_${name}`))).toEqual([])
    }
    expect(lines).toContain('svc_quota_monitor_snapshot_source{source="unavailable"} 1')
  })

  it.each([
    [{ freeBytes: 7, fullInDays: 2.5 }, ['free_bytes 7', 'full_days 2.5']],
    [{ freeBytes: 7, fullInDays: Infinity }, ['free_bytes 7', 'full_days +Inf']],
    [{ freeBytes: 7, fullInDays: null }, ['free_bytes 7']],
    [undefined, []],
  ])('say how long the disk of the history lasts: %j', async (disk, expected) => {
    const lines = await linesAfter(
      aLiveObservation([], {
        history: { ...openHistory, ...(disk === undefined ? {} : { disk }) },
      }),
    )
    const said = lines.filter((line) => line.startsWith('svc_quota_monitor_history_disk_'))

    expect(said).toEqual(expected.map((end) => `svc_quota_monitor_history_disk_${end}`))
  })

  it('are as of the last publication, but for counters and ages, which are as of now', async () => {
    const own = virtualClock(async () => undefined)
    const metrics = createMetrics({ clock: own, version: '1', seriesMax: 100 })
    metrics.onGauges(gaugeSamplesOf(evaluate(two), NO_CONTEXT), own.now())
    const sampleOf = async (sample: string) =>
      (await metrics.render()).split('\n').find((line) => line.startsWith(`${sample} `))
    await metrics.render()
    await own.advance(10_000)
    metrics.onResponse('/healthz', 200, 0.001)
    metrics.setBacklog(90)
    metrics.setLag(5)

    expect(await sampleOf('svc_quota_monitor_snapshot_age_seconds')).toMatch(/ 10$/)
    expect(await sampleOf('svc_quota_monitor_history_backlog_seconds')).toMatch(/ 90$/)
    expect(await sampleOf('svc_quota_monitor_history_lag_seconds')).toMatch(/ 5$/)
    metrics.setLag(null)
    expect(await sampleOf('svc_quota_monitor_history_lag_seconds')).toBeUndefined()
    expect(
      await sampleOf('svc_quota_monitor_http_requests_total{route="/healthz",code="200"}'),
    ).toMatch(/ 1$/)
    expect(await sampleOf('svc_quota_monitor_routable_accounts')).toMatch(/ 1$/)
  })

  it('tell how long the oldest usage record of each proxy waits for the store', async () => {
    const own = virtualClock(async () => undefined)
    const metrics = createMetrics({ clock: own, version: '1', seriesMax: 100 })
    const samples = async () =>
      (await metrics.render())
        .split('\n')
        .filter((line) => line.startsWith('svc_quota_monitor_usage_subscriber_lag_seconds'))
    expect(await samples()).toEqual([])
    metrics.setUsageWait(own.now(), 'tokyo')
    metrics.setUsageWait(null, 'paris')
    await own.advance(3_000)

    expect(await samples()).toEqual([
      'svc_quota_monitor_usage_subscriber_lag_seconds{upstream="tokyo"} 3',
      'svc_quota_monitor_usage_subscriber_lag_seconds{upstream="paris"} 0',
    ])
  })

  it('have no account, address or path as a label', async () => {
    const text = (await linesAfter(two)).join('\n')

    expect(text).not.toMatch(/@|quorum|codex-|index-|key-/)
  })
})

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

let published: PublishedGauges
beforeEach(() => {
  published = createPublishedGauges('x_')
})

const accounts = (plan: string, value: number) => ({
  name: 'accounts',
  samples: [{ labels: { plan }, value }],
})
const linesOf = async (name: string) =>
  (await published.text()).split('\n').filter((line) => line.startsWith(name))

describe('published gauges', () => {
  it('have the values of the newest publication and none of those before', async () => {
    published.publish([accounts('plus', 3), { name: 'top_routing_score', samples: [{ value: 7 }] }])
    published.publish([accounts('pro', 1), { name: 'top_routing_score', samples: [] }])

    expect(await linesOf('x_accounts{')).toEqual(['x_accounts{plan="pro"} 1'])
    expect(await linesOf('x_top_routing_score')).toEqual([])
  })
})

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
    what: 'a count with labels counts under all of them',
    happened({ count }) {
      count({ counter: 'direct_quota_probes_total', class: 'primary', result: 'ok' })
      count({ counter: 'direct_quota_probes_total', class: 'primary', result: 'auth' })
      count({ counter: 'upstream_errors_total', endpoint: 'auth-files' })
    },
    expected: [
      'direct_quota_probes_total{class="primary",result="ok"} 1',
      'direct_quota_probes_total{class="primary",result="auth"} 1',
      'upstream_errors_total{endpoint="auth-files"} 1',
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
