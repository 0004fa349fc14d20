import { type EpochMs, plusMs } from '@svc/core'
import { virtualClock } from '@svc/core/testing'
import { seriesOf } from '@svc/core/usage'
import { catalogueOf, seriesDefaults } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { type ChartSource, encodeChart, type SeriesRequest } from '../answers/encode-chart.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import { createSeriesAnswers } from './series-answers.ts'

const words = catalogueOf('en')
const request = (changes: Partial<SeriesRequest> = {}): SeriesRequest => ({
  query: seriesDefaults,
  format: 'json',
  warnings: [],
  ...changes,
})

function answers() {
  const clock = virtualClock(async () => undefined)
  let asked = 0
  let failure: Error | null = null
  let moment: EpochMs | null = null
  const moments: EpochMs[] = []
  const chart: ChartSource = async (request, now) => {
    asked += 1
    moments.push(now)
    if (failure !== null) throw failure
    return encodeChart(seriesOf([], request.query, { now, earliest: now }), request, { now, words })
  }
  return {
    clock,
    ...createSeriesAnswers({ chart, asOf: () => Promise.resolve(moment), clock, words }),
    moments,
    speakOf: (at: EpochMs | null) => {
      moment = at
    },
    asked: () => asked,
    fail: (now: Error | null) => {
      failure = now
    },
  }
}

describe('answers of charts', () => {
  it('are computed once for a hundred equal requests, and again after a while', async () => {
    const { answer, asked, clock } = answers()
    const payloads = await Promise.all(Array.from({ length: 100 }, () => answer(request())))

    expect(new Set(payloads).size).toBe(1)
    expect(asked()).toBe(1)
    await clock.advance(5_001)
    await answer(request())
    expect(asked()).toBe(2)
  })

  it('wait until the other answers hold what was stored while a chart was computed', async () => {
    const order: string[] = []
    const { answer } = createSeriesAnswers({
      chart: async (request, now) => {
        order.push('computed')
        return encodeChart(null, request, { now, words })
      },
      asOf: async () => {
        order.push('read')
        return null
      },
      clock: virtualClock(async () => undefined),
      words,
    })
    await answer(request())

    expect(order).toEqual(['read', 'computed', 'read'])
  })

  it('are as of the same instant as the other answers, or as of now where that is unknown', async () => {
    const { answer, speakOf, moments, clock } = answers()
    const earlier = plusMs(clock.now(), -3_000)
    await answer(request())
    speakOf(earlier)
    await answer(request())
    await answer(request())
    speakOf(plusMs(earlier, 1_000))
    await answer(request())

    expect(moments).toEqual([clock.now(), earlier, plusMs(earlier, 1_000)])
  })

  it('are kept apart by everything that decides them', async () => {
    const { answer, asked } = answers()
    const requests = [
      request(),
      request({ query: { ...seriesDefaults, top: 3 } }),
      request({ format: 'csv' }),
      request({ warnings: ['x'] }),
    ]
    const etags = await Promise.all(requests.map(async (each) => (await answer(each)).plain.etag))

    expect(new Set(etags).size).toBe(4)
    expect(asked()).toBe(4)
  })

  it('that failed are not kept', async () => {
    const { answer, fail } = answers()
    fail(new ReaderBusy('in a moment'))
    await expect(answer(request())).rejects.toThrow('in a moment')
    fail(null)

    expect((await answer(request())).plain.headers['Content-Type']).toBe(
      'application/json; charset=utf-8',
    )
  })

  it('of a history that cannot be read say so, until it can', async () => {
    const { answer, fail } = answers()
    const available = async () =>
      JSON.parse(Buffer.from((await answer(request())).plain.bytes).toString()).available
    fail(new Error('the store is gone'))
    expect(await available()).toBe(false)
    fail(null)
    expect(await available()).toBe(true)
  })

  it('are kept in a bounded number', async () => {
    const { answer, asked } = answers()
    for (let index = 0; index < 100; index += 1)
      await answer(request({ warnings: [String(index)] }))
    await answer(request({ warnings: ['99'] }))
    expect(asked()).toBe(100)
    await answer(request({ warnings: ['0'] }))

    expect(asked()).toBe(101)
  })

  it('as CSV are text', async () => {
    const { plain } = await answers().answer(request({ format: 'csv' }))

    expect(plain.headers['Content-Type']).toBe('text/csv; charset=utf-8')
    expect(Buffer.from(plain.bytes).toString()).toMatch(/^timestamp,series_id,/)
  })
})
