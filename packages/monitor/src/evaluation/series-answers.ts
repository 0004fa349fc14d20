import type { EpochMs } from '@svc/core'
import type { Clock } from '@svc/core/service'
import type { Catalogue } from '@svc/views'
import { type ChartSource, encodeChart, type SeriesRequest } from '../answers/encode-chart.ts'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import { createKeptAnswers } from './kept-answers.ts'

/** Answers with charts of usage. */
export interface SeriesAnswers {
  /** The chart as bytes. Equal requests at one time share one computation. Rejects with ReaderBusy. */
  answer(request: SeriesRequest): Promise<ReadyAnswer>
}

export interface SeriesAnswersDeps {
  /** Null without a usage history. */
  readonly chart: ChartSource | null
  /** The instant that all other answers about usage refer to; null if they have none. */
  readonly asOf: () => Promise<EpochMs | null>
  readonly clock: Clock
  readonly words: Catalogue
}

/** Answers charts from a usage history, as of the instant of all other answers, so that they agree. */
export function createSeriesAnswers({
  chart,
  asOf,
  clock,
  words,
}: SeriesAnswersDeps): SeriesAnswers {
  const kept = createKeptAnswers<ReadyAnswer>(clock)

  return {
    async answer(request) {
      const moment = await asOf()
      const now = moment ?? clock.now()
      // An unreadable history is answered like a missing one.
      const without = () => encodeChart(null, request, { now, words })
      return await kept.answer(JSON.stringify([request, moment]), {
        async read() {
          if (chart === null) return without()
          const payload = await chart(request, now)
          // The chart may include usage stored during its computation, which the other answers must then show too.
          await asOf()
          return payload
        },
        unreadable: without,
      })
    },
  }
}
