import type { EpochMs } from '@svc/core'
import type { UsageSeries } from '@svc/core/usage'
import { type Catalogue, type SeriesQuery, statsSeriesCsv, statsSeriesView } from '@svc/views'
import { encodeJson, readyText } from './encode-json.ts'
import type { ReadyAnswer } from './ready-answer.ts'
import { CSV_TYPE } from './response-headers.ts'

/** A chart as it was asked for. */
export interface SeriesRequest {
  readonly query: SeriesQuery
  readonly format: 'json' | 'csv'
  /** What was not taken as given, one sentence each; never quotes a value. */
  readonly warnings: readonly string[]
}

/** Computes a chart as bytes where the usage is. Rejects with ReaderBusy, or with anything else when the history cannot be read. */
export type ChartSource = (request: SeriesRequest, now: EpochMs) => Promise<ReadyAnswer>

/** Words and encodes a chart in one go, which takes some milliseconds; `series` is null where there is no history. */
export function encodeChart(
  series: UsageSeries | null,
  { query, format, warnings }: SeriesRequest,
  { now, words }: { readonly now: EpochMs; readonly words: Catalogue },
): ReadyAnswer {
  const view = statsSeriesView(series, query, { now, warnings, words })
  return format === 'json' ? encodeJson(view) : readyText(statsSeriesCsv(view), CSV_TYPE)
}
