import type { Clock, UsageReader } from '@svc/core'
import { type SeriesQuery, statsSeriesCsv, statsSeriesView } from '@svc/views'
import { CSV_TYPE } from '../response-headers.ts'
import { ReaderBusy } from '../store/reader-busy.ts'
import { bytesOf, encodeJson, payloadOf } from './encode-json.ts'
import type { EncodedPayload } from './payloads.ts'

/** A chart is at most this much older than what it could show. */
const KEPT_MS = 5_000
const KEPT_MAX = 64

/** A chart as it was asked for. */
export interface SeriesRequest {
  readonly query: SeriesQuery
  readonly format: 'json' | 'csv'
  /** What was not taken as given, one sentence each; never quotes a value. */
  readonly warnings: readonly string[]
}

export interface SeriesAnswers {
  /** The chart as bytes. Equal requests at one time share one computation and its answer. Rejects with ReaderBusy. */
  answer(request: SeriesRequest): Promise<EncodedPayload>
}

/** Answers charts from a usage history; `reader` is null where there is none. */
export function createSeriesAnswers({ reader, clock }: { readonly reader: UsageReader | null; readonly clock: Clock }): SeriesAnswers {
  const kept = new Map<string, { readonly sinceMs: number; readonly payload: Promise<EncodedPayload> }>()

  let line: Promise<void> = Promise.resolve()
  const turnInLine = (): Promise<void> => {
    line = line.then(() => new Promise((resolve) => setImmediate(resolve)))
    return line
  }

  const compute = async ({ query, format, warnings }: SeriesRequest, forget: () => void): Promise<EncodedPayload> => {
    const now = clock.now()
    const series =
      reader === null
        ? null
        : await reader.series(query, now).catch((error: unknown) => {
            if (error instanceof ReaderBusy) throw error
            // A history that cannot be read is answered like one that is not there, but only for now.
            forget()
            return null
          })
    // Answers of the store may come in a bunch; each is worded in a turn of its own, so that nobody waits for all of them.
    await turnInLine()
    const view = statsSeriesView(series, query, { now, warnings })
    return format === 'json' ? await encodeJson(view) : await payloadOf(bytesOf(statsSeriesCsv(view)), CSV_TYPE)
  }

  return {
    answer(request) {
      const nowMs = clock.monotonicMs()
      for (const [key, { sinceMs }] of kept) if (nowMs - sinceMs > KEPT_MS) kept.delete(key)
      const key = JSON.stringify(request)
      const known = kept.get(key)
      if (known !== undefined) return known.payload
      const [oldest] = kept.keys()
      if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest)
      const forget = () => void kept.delete(key)
      const payload = compute(request, forget)
      kept.set(key, { sinceMs: nowMs, payload })
      payload.catch(forget)
      return payload
    },
  }
}
