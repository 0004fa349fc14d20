import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { serveMonitor } from '../testing/monitor.ts'
import { statsControls } from './display-state.ts'
import { series } from './usage-question.ts'
import { followSeries, seriesFailed } from './usage-series.ts'

let answer: (response: ServerResponse) => void
let asked: string[] = []
let stop: () => void = () => undefined

serveMonitor((request, response) => {
  asked.push(request.url ?? '')
  answer(response)
})
afterEach(() => {
  stop()
  asked = []
  seriesFailed.value = false
})

const answering = (status: number, body: string) => (response: ServerResponse) =>
  void response.writeHead(status, { Connection: 'close' }).end(body)

describe('the chart of usage', () => {
  it('is asked for by every control, and shown', async () => {
    answer = answering(200, '{"available":true}')
    stop = followSeries({
      ...statsControls.value,
      range: '7d',
      group: 'model',
      top: 3,
      smooth: false,
    })
    await expect.poll(() => series.value).toEqual({ available: true })

    expect(asked).toEqual([
      '/api/v1/stats/series?range=7d&bucket=6h&metric=tokens&group=model&top=3&smooth=0&mode=bucket&facets=account%2Cclient',
    ])
    expect(seriesFailed.value).toBe(false)
  })

  it.each([
    { what: 'an error', status: 503, body: '{}' },
    { what: 'no JSON', status: 200, body: '<html>' },
  ])('fails at $what, and the last one stays', async ({ status, body }) => {
    answer = answering(200, '{"available":true}')
    stop = followSeries(statsControls.value)
    await expect.poll(() => series.value).not.toBe(null)
    stop()

    answer = answering(status, body)
    stop = followSeries(statsControls.value)
    await expect.poll(() => seriesFailed.value).toBe(true)
    expect(series.value).toEqual({ available: true })
  })

  it('is shown again when it is asked for again while the service is away', async () => {
    answer = answering(200, '{"available":true,"title":"a week"}')
    stop = followSeries({ ...statsControls.value, range: '7d', group: 'api' })
    await expect.poll(() => series.value).toMatchObject({ title: 'a week' })
    stop()
    answer = answering(200, '{"available":true,"title":"a day"}')
    stop = followSeries({ ...statsControls.value, range: '24h', group: 'api' })
    await expect.poll(() => series.value).toMatchObject({ title: 'a day' })
    stop()

    answer = answering(503, '')
    stop = followSeries({ ...statsControls.value, range: '7d', group: 'api' })
    expect(series.value).toMatchObject({ title: 'a week' })
    await expect.poll(() => seriesFailed.value).toBe(true)
    expect(series.value).toMatchObject({ title: 'a week' })
  })

  it('that is no longer wanted is neither shown nor a failure', async () => {
    const waiting: ServerResponse[] = []
    answer = (response) => void waiting.push(response)
    stop = followSeries({ ...statsControls.value, range: '30d' })
    await expect.poll(() => waiting.length).toBe(1)
    stop()
    await expect.poll(() => waiting[0]?.destroyed).toBe(true)

    expect([series.value, seriesFailed.value]).toEqual([null, false])
  })
})
