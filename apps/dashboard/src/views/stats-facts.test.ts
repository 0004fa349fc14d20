import '../testing/browser.ts'
import type { StatsSeries } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { facts } from '../state/usage-facts.ts'
import { clearPage, draw, wordsOf } from '../testing/page.ts'
import { Facts } from './stats-facts.tsx'

const askDirectly = globalThis.fetch
let asked: (string | null)[] = []
let values: Readonly<Record<string, number | null>> = {}

beforeEach(() => {
  asked = []
  globalThis.fetch = async (path) => {
    const query = new URL(String(path), 'http://monitor').searchParams
    const metric = query.get('metric') ?? ''
    asked.push(metric)
    const valueUnit = metric.startsWith('failed')
      ? 'requests'
      : metric === 'cache_share'
        ? 'percent'
        : 'tokens'
    return Response.json({
      query: { range: query.get('range'), bucket: query.get('bucket'), metric, mode: 'bucket' },
      totals: { failed: 40, value: values[metric] ?? null },
      valueUnit,
    })
  }
})
afterEach(() => {
  clearPage()
  globalThis.fetch = askDirectly
  facts.value = []
})

const showFor = (metric: string) =>
  draw(
    h(Facts, { now: { query: { range: '7d', bucket: '6h', metric } } as unknown as StatsSeries }),
  )

it.each([
  {
    metric: 'tokens',
    told: { input: 2_000, cached: 1_500, output: 300, cache_share: 75 },
    words: 'Input 2.0k Cached 1.5k Output 300 Cache share 75.0%',
  },
  {
    metric: 'failed',
    told: { failed_auth: 3, failed_limit: 20, failed_vendor: 7 },
    words: 'Status 401, 403 3 Status 429 20 Status 500–599 7 Other 10',
  },
  {
    metric: 'failed',
    told: { failed_auth: 3, failed_limit: 20 },
    words: 'Status 401, 403 3 Status 429 20',
  },
])('says $words beside $metric', async ({ metric, told, words }) => {
  values = told
  const place = showFor(metric)
  expect([place.querySelectorAll('.facts-line').length, wordsOf(place)]).toEqual([1, ''])

  await expect.poll(() => wordsOf(place)).toBe(words)
})

it('says nothing of what the proxy does not tell', async () => {
  values = {}
  const place = showFor('latency_p50')
  await expect.poll(() => facts.value.length).toBe(4)

  expect(asked).toEqual(['latency_p50', 'latency_p95', 'first_token_p50', 'first_token_p95'])
  expect(wordsOf(place)).toBe('')
})
