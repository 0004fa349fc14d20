import { epochMs } from '@svc/core'
import type { Clock } from '@svc/core/service'
import { placeAt, usageSpanOf } from '@svc/core/usage'
import type { RowAnswers, RowsLeft, RowsRequest, RowsSource } from '../answers/encode-rows.ts'
import { ReaderBusy } from '../store/store-reader.ts'

/** Answers downloads from a usage history, of requests before the instant of the first part. `source` is null without a history. */
export function createRowAnswers(source: RowsSource | null, clock: Clock): RowAnswers {
  const wholeOf = ({ range }: RowsRequest): RowsLeft => {
    const now = clock.now()
    const from = range === 'all' ? epochMs(0) : usageSpanOf(range, now, null).start
    return { from, before: placeAt(now) }
  }
  return async (request, left) => {
    if (source === null) return 'no_store'
    try {
      return await source(request, left ?? wholeOf(request))
    } catch (error) {
      if (error instanceof ReaderBusy) throw error
      return 'store_unavailable'
    }
  }
}
