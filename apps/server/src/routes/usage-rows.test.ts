import { epochMs } from '@svc/core'
import { placeAt, type RowsLeft } from '@svc/core/usage'
import type { HistoryAnswers, RowsRequest } from '@svc/monitor'
import type { UsageRows } from '@svc/views'
import { expect, it } from 'vitest'
import { createUsageRows } from './usage-rows.ts'

const END = epochMs(Date.UTC(2026, 10, 20))
const FIRST: RowsLeft = { from: epochMs(END - 86_400_000), before: placeAt(END) }

/** Pages whose rest begins one millisecond earlier each time, with what was asked for. */
function pages(count: number) {
  const asked: { readonly request: RowsRequest; readonly left: RowsLeft | null }[] = []
  const partOf: HistoryAnswers['rows'] = async (request, left) => {
    asked.push({ request, left })
    const whole = left ?? FIRST
    const next = { from: whole.from, before: { at: epochMs(whole.before.at - 1), key: '-9' } }
    return {
      bytes: new Uint8Array(),
      left: asked.length < count ? next : null,
      whole,
      rowsSince: null,
      unknownIds: ['model'],
    }
  }
  const answer = createUsageRows(partOf, { offsetMs: () => 0 })
  const ask = async (query: string) => {
    const found = await answer({
      method: 'GET',
      parameters: new URLSearchParams(query),
      cutOff() {},
    })
    if (!(found instanceof Response)) return { refused: found }
    const { headers } = found
    return { headers, text: await found.text() }
  }
  return { asked, ask }
}

it('a page names the next one until there is none, and its time stays that of the first', async () => {
  const { asked, ask } = pages(3)
  const seen: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { text = '', headers } = await ask(`model=m&limit=7&cursor=${cursor}`)
    const { next, query, rows } = JSON.parse(text) as UsageRows
    seen.push(query)
    expect([rows, headers?.get('x-svc-quota-monitor-next') ?? null]).toEqual([[], next])
    expect(headers?.get('x-svc-quota-monitor-warnings')).toContain('model: an id')
    cursor = next
  }

  expect(asked.map(({ left }) => left?.before.at ?? null)).toEqual([null, END - 1, END - 2])
  expect(asked.every(({ request }) => request.limit === 7)).toBe(true)
  expect(new Set(seen.map((query) => JSON.stringify(query))).size).toBe(1)
  expect(seen[0]).toEqual({
    range: '24h',
    from: '2026-11-19T00:00:00.000Z',
    to: '2026-11-20T00:00:00.000Z',
    limit: 7,
    filter: { model: ['m'] },
  })
})

it('names an unknown parameter in the header, and in a page of JSON', async () => {
  const warnings = [
    'clinet: no such parameter; it is ignored',
    'model: an id that no request has; it matches nothing',
  ]
  for (const form of ['format=json', 'format=jsonl', 'format=csv&limit=5']) {
    const { headers, text = '' } = await pages(1).ask(`clinet=CI&${form}`)
    expect(headers?.get('x-svc-quota-monitor-warnings')).toBe(warnings.join(' | '))
    if (form === 'format=json') expect(JSON.parse(text)).toMatchObject({ warnings })
  }
})

it('a page as CSV has its cursor in a header', async () => {
  const { text, headers } = await pages(2).ask('format=csv&limit=5')

  expect(text).toMatch(/^at,account_key,/)
  expect(headers?.get('x-svc-quota-monitor-next')).toMatch(/^[\w-]+$/)
})

it('a cursor of another filter, or of nothing, is refused', async () => {
  const { ask } = pages(9)
  const { headers } = await ask('model=m&limit=7')
  const cursor = headers?.get('x-svc-quota-monitor-next')
  for (const query of [`model=n&cursor=${cursor}`, `cursor=${cursor}`, 'cursor=x', 'cursor=%00'])
    expect(await ask(query)).toMatchObject({ refused: { refusal: { slug: 'invalid_cursor' } } })
})

it.each([
  ['limit=0', { refusal: { slug: 'invalid_parameter' } }],
  ['limit=5001', { refusal: { slug: 'invalid_parameter' } }],
  ['limit=1e3', { refusal: { slug: 'invalid_parameter' } }],
  ['status=x', { refusal: { slug: 'invalid_parameter', details: { parameter: 'status' } } }],
  ['format=xml', { unknown: { parameter: 'format' } }],
  ['range=2h', { unknown: { parameter: 'range' } }],
])('%s is refused', async (query, refused) => {
  expect(await pages(1).ask(query)).toMatchObject({ refused })
})

it('short pages take no place from downloads, long ones do', async () => {
  const never: HistoryAnswers['rows'] = () => new Promise(() => undefined)
  const answer = createUsageRows(never, { offsetMs: () => 0 })
  const ask = (query: string) =>
    answer({ method: 'GET', parameters: new URLSearchParams(query), cutOff() {} })
  for (let count = 0; count < 9; count += 1) void ask('limit=500')
  for (let count = 0; count < 2; count += 1) void ask('limit=501')

  expect(await ask('limit=501')).toMatchObject({ slug: 'too_many_downloads' })
})
