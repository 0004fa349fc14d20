import { epochMs } from '@svc/core'
import { aUsageRecord } from '@svc/core/testing'
import { seriesOf, type UsageRecord } from '@svc/core/usage'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { english } from '../messages/en/catalogue.ts'
import { statsSeriesCsv } from './csv.ts'
import { type SeriesQuery, seriesDefaults, statsSeriesView } from './stats-series.ts'
import { statsSeriesSchema } from './stats-series-schema.ts'

const NOW = epochMs(Date.parse('2026-11-20T12:00:30Z'))
const EARLIEST = epochMs(NOW - 40 * 86_400_000)

const record = (secondsAgo: number, changes: Partial<UsageRecord> = {}) =>
  aUsageRecord(epochMs(NOW - secondsAgo * 1000), changes)

function view(
  records: readonly UsageRecord[],
  changes: Partial<SeriesQuery> = {},
  warnings: readonly string[] = [],
) {
  const query = { ...seriesDefaults, range: '1h', ...changes } as const
  const seen = statsSeriesView(seriesOf(records, query, { now: NOW, earliest: EARLIEST }), query, {
    warnings,
    words: english,
  })
  expect(v.safeParse(statsSeriesSchema, seen).issues).toBeUndefined()
  return seen
}

describe('the CSV', () => {
  const HEADER =
    'timestamp,series_id,series_label,requests,tokens,failed,request_text,token_text,failure_rate\r\n'

  it('has a header even when empty', () => {
    expect(
      statsSeriesCsv(statsSeriesView(null, seriesDefaults, { warnings: [], words: english })),
    ).toBe(HEADER)
  })

  it('has a row for each point, with the share that failed', () => {
    const rows = statsSeriesCsv(
      view([record(10, { requests: 3, failed: 1, tokens: 1_234 })]),
    ).split('\r\n')

    expect(rows).toHaveLength(63)
    expect(rows.at(-2)).toBe('2026-11-20T12:00:00.000Z,total,Total,3,1234,1,3 req,1.2k tok,0.3333')
    expect(rows[1]).toBe('2026-11-20T11:00:00.000Z,total,Total,0,0,0,0 req,0 tok,')
  })

  it('has a metric without a column in one more, empty where it is unknown', () => {
    const rows = statsSeriesCsv(
      view([record(10, { latencyMs: 1_500 })], { metric: 'latency_p95' }),
    ).split('\r\n')

    expect(rows[0]).toBe(`${HEADER.trimEnd()},latency_p95`)
    expect(rows[1]).toBe('2026-11-20T11:00:00.000Z,total,Total,0,0,0,0 req,0 tok,,')
    expect(rows.at(-2)).toBe(
      '2026-11-20T12:00:00.000Z,total,Total,1,1000,0,1 req,1.0k tok,0.0000,1500',
    )
  })

  it.each([
    ['=cmd()', "'=cmd()"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@x', "'@x"],
    ['\tx', "'\tx"],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1,"2"', '"\'=1,""2"""'],
    ['a=b', 'a=b'],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    ['\u0000x', "'\u0000x"],
  ])('keeps %j data', (label, cell) => {
    const csv = statsSeriesCsv(
      view([record(10, { client: { id: 'id', label } })], { group: 'client' }),
    )

    expect(csv).toContain(`,id,${cell},1,1000,0,`)
  })

  it.each([
    ['gpt-5.5', 'gpt-5.5'],
    ['=cmd()', '%3Dcmd()'],
    ['+1', '%2B1'],
    ['-1', '%2D1'],
    ['@x', '%40x'],
    [' =x', '%20=x'],
    ['\tx', '%09x'],
    ['＝x', '%EF%BC%9Dx'],
    ['a=b', 'a=b'],
  ])('names the member %j by the id of the JSON, which no spreadsheet runs', (model, id) => {
    const seen = view([record(10, { model })], { group: 'model' })

    expect(seen.series[0]?.id).toBe(id)
    expect(seen.breakdown.items[0]?.id).toBe(id)
    expect(statsSeriesCsv(seen)).toContain(`Z,${id},`)
    expect(decodeURIComponent(id)).toBe(model)
  })

  it('quotes an id that needs it', () => {
    expect(statsSeriesCsv(view([record(10, { model: 'a,"b"' })], { group: 'model' }))).toContain(
      'Z,"a,""b""",',
    )
  })
})
