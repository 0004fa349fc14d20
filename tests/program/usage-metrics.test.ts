import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plusMs } from '@svc/core'
import { aFakeAccount } from '@svc/fake-proxy'
import type { Health } from '@svc/views'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../tooling/test-instant.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-usage-metrics-'))
const clock = acceleratedClock({ factor: paceOfBusyMachine(20) })
const account = aFakeAccount({ name: 'ana' })
let live: ProxiedService

beforeAll(async () => {
  const labels = join(folder, 'labels.json')
  const clients = [{ apiName: 'sk-labelled-1', label: 'Alice' }]
  writeFileSync(labels, JSON.stringify({ clients }), { mode: 0o600 })
  const prices = join(folder, 'prices.json')
  const gptA = {
    litellm_provider: 'openai',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 4e-6,
  }
  writeFileSync(prices, JSON.stringify({ 'gpt-a': gptA }), { mode: 0o644 })
  live = await startService({
    where: 'here',
    time: clock,
    accounts: [account],
    flags: {
      'state-db': join(folder, 'history.db'),
      'client-labels-file': labels,
      'price-file': prices,
      'metrics-series-max': '1',
    },
    prepare: (fake) => {
      fake.settings.usage = 'queue'
    },
  })
})
afterAll(async () => {
  await live.stop()
  rmSync(folder, { recursive: true, force: true })
})

const scrape = async () => (await fetch(`${live.url}/metrics`)).text()
const linesOf = (text: string, names: RegExp) =>
  [...text.matchAll(/^svc_quota_monitor_(.*)$/gm)].flatMap(([, line = '']) =>
    names.test(line) && !line.endsWith(' 0') ? [line] : [],
  )
const counted = (name: string, count: number) =>
  eventually(`${name} is ${count}`, async () =>
    linesOf(await scrape(), new RegExp(`^${name} `)).includes(`${name} ${count}`),
  )

it('counts stored usage and its cost by model and labelled client, duplicates never', async () => {
  const record = (apiKey: string, model: string, failed?: { status: number; body: string }) =>
    live.fake.usage.record({
      at: plusMs(clock.now(), -5_000),
      source: account.email,
      authIndex: live.fake.authIndexOf(account),
      apiKey,
      model,
      ...(failed === undefined ? {} : { failed }),
    })
  await eventually('the labels are read', async () => {
    const { sources } = await live.json<Health>('/api/v1/health')
    return sources.some(({ id, tone }) => id === 'client_labels' && tone === 'good')
  })
  record('sk-labelled-1', 'gpt-a')
  await counted('usage_rows_ingested_total', 1)
  await eventually('the first request is counted', async () =>
    (await scrape()).includes('client_requests_total{client="Alice"} 1'),
  )
  const body = '{"error":{"code":"usage_limit_reached"}}'
  const made = [
    record('sk-secret-2', 'gpt-a', { status: 429, body }),
    record('sk-secret-3', 'gpt-b'),
  ]
  await counted('usage_rows_ingested_total', 3)
  for (const { json, at } of made) live.fake.usage.recordRaw(json, at)
  await counted('usage_rows_duplicate_total', 2)
  await eventually('every request is counted', async () =>
    (await scrape()).includes('client_requests_total{client="_unlabelled_"} 2'),
  )
  const text = await scrape()

  expect(
    linesOf(text, /^(?:usage_requests|usage_cost|usage_failures|client_requests|metrics_)/),
  ).toEqual([
    'usage_requests_total{provider="codex",model="gpt-a",result="ok"} 1',
    'usage_requests_total{provider="codex",model="gpt-a",result="limit"} 1',
    'usage_requests_total{provider="codex",model="_overflow_",result="ok"} 1',
    // 1,000 tokens of input and 50 of output; the model in overflow has no price.
    'usage_cost_usd_total{provider="codex",model="gpt-a"} 0.0012',
    'usage_failures_total{provider="codex",status="429",code="usage_limit_reached"} 1',
    'client_requests_total{client="Alice"} 1',
    'client_requests_total{client="_unlabelled_"} 2',
    'metrics_series_dropped 1',
  ])
  expect(text).not.toMatch(/sk-|client-[0-9a-f]{8}/)
})
