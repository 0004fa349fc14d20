import fc from 'fast-check'
import { Counter, Histogram, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createRequestTally } from './request-tally.ts'

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5]

const samplesOf = (text: string) => text.split('\n').filter((line) => /^[a-z]/.test(line))

describe('the tally of answered requests', () => {
  it('names both families before anything was answered', () => {
    expect(createRequestTally('svc_').text()).toBe(
      [
        '# HELP svc_http_requests_total Answered requests, by route and status code.',
        '# TYPE svc_http_requests_total counter',
        '',
        '# HELP svc_http_request_duration_seconds Time to answer a request, by route.',
        '# TYPE svc_http_request_duration_seconds histogram',
        '',
      ].join('\n'),
    )
  })

  it('counts answers by status and sorts their times into buckets, however often it is asked', () => {
    const tally = createRequestTally('')
    for (const [status, seconds] of [
      [200, 0.0005],
      [200, 0.0006],
      [304, 0.02],
      [200, 60],
    ] as const) {
      tally.count('/api/v1/status', status, seconds)
    }
    tally.text()
    tally.count('/api/v1/status', 304, 2.5)

    const bucket = (le: string, count: number) =>
      `http_request_duration_seconds_bucket{le="${le}",route="/api/v1/status"} ${count}`
    expect(samplesOf(tally.text())).toEqual([
      'http_requests_total{route="/api/v1/status",code="200"} 3',
      'http_requests_total{route="/api/v1/status",code="304"} 2',
      bucket('0.0005', 1),
      bucket('0.001', 2),
      bucket('0.0025', 2),
      bucket('0.005', 2),
      bucket('0.01', 2),
      bucket('0.025', 3),
      bucket('0.1', 3),
      bucket('0.5', 3),
      bucket('2.5', 4),
      bucket('+Inf', 5),
      'http_request_duration_seconds_sum{route="/api/v1/status"} 62.5211',
      'http_request_duration_seconds_count{route="/api/v1/status"} 5',
    ])
  })

  it('writes what prom-client writes for the same answers', async () => {
    const answer = fc.record({
      route: fc.constantFrom('/', '/healthz', 'other', 'a"b\\c\nd'),
      status: fc.constantFrom(200, 304, 404, 500),
      seconds: fc.oneof(
        fc.constantFrom(0, ...BUCKETS),
        fc.double({ min: 0, max: 100, noNaN: true }),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { maxLength: 40 }), async (answers) => {
        const tally = createRequestTally('x_')
        const registry = new Registry()
        const registers = [registry]
        const counter = new Counter({
          name: 'x_http_requests_total',
          help: 'Answered requests, by route and status code.',
          labelNames: ['route', 'code'],
          registers,
        })
        const histogram = new Histogram({
          name: 'x_http_request_duration_seconds',
          help: 'Time to answer a request, by route.',
          labelNames: ['route'],
          buckets: BUCKETS,
          registers,
        })
        for (const { route, status, seconds } of answers) {
          tally.count(route, status, seconds)
          counter.inc({ route, code: String(status) })
          histogram.observe({ route }, seconds)
        }

        const theirs = await registry.metrics()

        expect(tally.text().split('\n').sort()).toEqual(theirs.split('\n').sort())
      }),
      { numRuns: 60 },
    )
  })
})
