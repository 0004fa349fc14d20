import { csvLine, harmlessText } from './csv.ts'
import type { StatsSeries } from './stats-series-schema.ts'

const COLUMNS = [
  'timestamp',
  'series_id',
  'series_label',
  'requests',
  'tokens',
  'failed',
  'request_text',
  'token_text',
  'failure_rate',
] as const

/**
 * The points of a chart as CSV by RFC 4180, always with a header. `failure_rate` is 0..1, empty without requests. Other metrics add a column, empty
 * where unknown.
 */
export function statsSeriesCsv({ series, query: { metric }, valueUnit }: StatsSeries): string {
  const hasValue = valueUnit !== undefined
  const rows = series.flatMap(({ id, label, points }) =>
    points.map(({ t, requests, tokens, failed, value, requestText, tokenText }) => [
      t,
      id,
      harmlessText(label),
      String(requests),
      String(tokens),
      String(failed),
      requestText,
      tokenText,
      requests === 0 ? '' : (failed / requests).toFixed(4),
      ...(hasValue ? [value == null ? '' : String(value)] : []),
    ]),
  )
  return [[...COLUMNS, ...(hasValue ? [metric] : [])], ...rows].map(csvLine).join('')
}
