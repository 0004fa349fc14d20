import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { serveMonitor } from '../testing/monitor.ts'
import {
  followQuotaHistory,
  historyFailed,
  levelAt,
  levelsIn,
  quotaHistory,
  stairPath,
  type WindowHistory,
} from './quota-history.ts'

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
  quotaHistory.value = null
  historyFailed.value = false
})

const answering = (status: number, body: string) => (response: ServerResponse) =>
  void response.writeHead(status, { Connection: 'close' }).end(body)

describe('the course of an account', () => {
  it('is asked for by its key and the range, and shown', async () => {
    answer = answering(200, '{"available":true}')
    stop = followQuotaHistory('a b/c', '7d')
    await expect.poll(() => quotaHistory.value).toEqual({ available: true })

    expect(asked).toEqual(['/api/v1/accounts/a%20b%2Fc/quota?range=7d'])
  })

  it.each([
    { what: 'an error', status: 503, body: '{"ok":false}' },
    { what: 'something else than JSON', status: 200, body: '<html>' },
  ])('that is answered with $what is kept, and the failure said', async ({ status, body }) => {
    quotaHistory.value = { accountKey: 'a' } as never
    answer = answering(status, body)
    stop = followQuotaHistory('a', '24h')
    await expect.poll(() => historyFailed.value).toBe(true)

    expect(quotaHistory.value).toEqual({ accountKey: 'a' })
  })

  it('that nobody looks at any more is not shown when it comes', async () => {
    const held = new Promise<ServerResponse>((resolve) => {
      answer = resolve
    })
    const end = followQuotaHistory('a', '24h')
    const response = await held
    end()
    answering(200, '{"available":true}')(response)
    await once(response, 'close')

    expect([quotaHistory.value, historyFailed.value]).toEqual([null, false])
  })
})

const START_MS = Date.UTC(2026, 10, 20)
const HOUR_MS = 3_600_000
const at = (hours: number) => new Date(START_MS + hours * HOUR_MS).toISOString()
const SPAN = { startMs: START_MS, endMs: START_MS + 24 * HOUR_MS }

interface Shape {
  readonly readings: readonly (readonly [hour: number, percent: number])[]
  readonly gaps?: readonly (readonly [from: number, to: number])[]
}

const aCourse = ({ readings, gaps = [] }: Shape): WindowHistory => ({
  id: '5h',
  label: '5h',
  readingCount: readings.length,
  points: readings.map(([hour, percent]) => ({
    t: at(hour),
    percent,
    usedPercent: 100 - percent,
    resetAt: null,
    origin: null,
    ageSeconds: null,
    rolledOver: false,
  })),
  resets: [],
  cycles: [],
  gaps: gaps.map(([from, to]) => ({ from: at(from), to: at(to) })),
})
const standings = (shape: Shape) => levelsIn(aCourse(shape), SPAN)
const hours = (ms: number) => (ms - START_MS) / HOUR_MS
const stretches = (shape: Shape) =>
  standings(shape).map(({ fromMs, toMs, point }) => [hours(fromMs), hours(toMs), point.percent])

describe('a reading stands', () => {
  it.each([
    {
      what: 'until the next one, the last until now',
      readings: [
        [0, 90],
        [6, 80],
      ],
      gaps: [],
      stands: [
        [0, 6, 90],
        [6, 24, 80],
      ],
    },
    {
      what: 'from the start where it was before',
      readings: [
        [-9, 90],
        [6, 80],
      ],
      gaps: [],
      stands: [
        [0, 6, 90],
        [6, 24, 80],
      ],
    },
    {
      what: 'until a gap, and after it while there is no other',
      readings: [[0, 90]],
      gaps: [[4, 8]],
      stands: [
        [0, 4, 90],
        [8, 24, 90],
      ],
    },
    {
      what: 'not in a gap that ends with the next one',
      readings: [
        [0, 90],
        [8, 50],
      ],
      gaps: [[4, 8]],
      stands: [
        [0, 4, 90],
        [8, 24, 50],
      ],
    },
    {
      what: 'between two gaps',
      readings: [[0, 90]],
      gaps: [
        [2, 3],
        [5, 24],
      ],
      stands: [
        [0, 2, 90],
        [3, 5, 90],
      ],
    },
    { what: 'nowhere in a gap over everything', readings: [[-1, 90]], gaps: [[0, 24]], stands: [] },
  ] as const)('$what', ({ readings, gaps, stands }) => {
    expect(stretches({ readings, gaps })).toEqual(stands)
  })

  it.each([
    { hour: 0, percent: 90 },
    { hour: 3.9, percent: 90 },
    { hour: 6, percent: null },
    { hour: 8, percent: 50 },
    { hour: 24, percent: 50 },
  ])('at hour $hour: $percent', ({ hour, percent }) => {
    const found = levelAt(
      standings({
        readings: [
          [0, 90],
          [8, 50],
        ],
        gaps: [[4, 8]],
      }),
      START_MS + hour * HOUR_MS,
    )

    expect(found?.point.percent ?? null).toBe(percent)
  })
})

it('a line is a stair that breaks where a gap is', () => {
  const path = stairPath(
    standings({
      readings: [
        [0, 90],
        [2, 80],
      ],
      gaps: [[4, 20]],
    }),
    {
      x: hours,
      y: (percent) => 100 - percent,
    },
  )

  expect(path).toBe('M0.0 10.0H2.0V20.0H4.0M20.0 20.0H24.0')
})
