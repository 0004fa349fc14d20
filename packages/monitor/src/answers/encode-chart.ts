import type { EpochMs, ProviderId } from '@svc/core'
import type { UsageSeries } from '@svc/core/usage'
import { type Catalogue, type SeriesQuery, statsSeriesCsv, statsSeriesView } from '@svc/views'
import { encodeJson, readyText } from './encode-json.ts'
import type { ReadyAnswer } from './ready-answer.ts'
import { CSV_TYPE } from './response-headers.ts'

/** Request for one chart. */
export interface SeriesRequest {
  readonly query: SeriesQuery
  readonly format: 'json' | 'csv'
  /** One sentence for each replaced or ignored parameter; never quotes a value. */
  readonly warnings: readonly string[]
  /** Providers of the listed accounts, by key; left out if no list was read. */
  readonly providers?: ReadonlyMap<string, ProviderId>
}

/** Words and encodes a chart in one synchronous step, which takes some milliseconds; `series` is null without a history. */
export function encodeChart(
  series: UsageSeries | null,
  { query, format, warnings, providers }: SeriesRequest,
  { now, words }: { readonly now: EpochMs; readonly words: Catalogue },
): ReadyAnswer {
  const view = statsSeriesView(series, query, { now, warnings, words, providers })
  return format === 'json' ? encodeJson(view) : readyText(statsSeriesCsv(view), CSV_TYPE)
}
