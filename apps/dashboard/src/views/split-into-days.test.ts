import type { HealthHistoryPayload } from '@svc/views'
import { createZone } from '@svc/views/format'
import { afterEach, describe, expect, it } from 'vitest'
import {
  followHealthHistory,
  healthHistory,
  healthHistoryFailed,
  splitIntoDays,
} from './health-days.tsx'

let stop = () => {}
afterEach(() => {
  stop()
  healthHistory.value = null
  healthHistoryFailed.value = false
})

type Stretches = HealthHistoryPayload['stretches']

/** A history of these stretches; each ends where the next one begins. */
const historyOf = (
  end: string,
  ...begun: readonly (readonly [string, Stretches[number]['state']])[]
): HealthHistoryPayload => ({
  available: true,
  reason: null,
  start: '2026-10-01T00:00:00.000Z',
  end,
  stepSeconds: 900,
  awaySince: null,
  stretches: begun.map(([from, state], index) => ({
    from,
    to: begun[index + 1]?.[0] ?? end,
    state,
  })),
})
const placesOf = (history: HealthHistoryPayload, zone: string) =>
  splitIntoDays(history, createZone(zone)).map(({ stretches }) =>
    stretches.map(({ state, start, end }) => [state, start, end]),
  )

describe('the days of the history of health', () => {
  it('are those of the display zone, newest first, cut at midnight', () => {
    const history = historyOf(
      '2026-11-02T06:07:00.000Z',
      ['2026-11-01T00:00:00.000Z', 'good'],
      ['2026-11-01T22:30:00.000Z', 'dry'],
      ['2026-11-02T06:00:00.000Z', 'low'],
    )

    const minutes = 7 / 60
    expect(placesOf(history, 'UTC')).toEqual([
      [
        ['dry', 0, 6],
        ['low', 6, expect.closeTo(6 + minutes)],
      ],
      [
        ['good', 0, 22.5],
        ['dry', 22.5, 24],
      ],
    ])
    expect(placesOf(history, 'Asia/Kathmandu')).toEqual([
      [
        ['good', 0, 4.25],
        ['dry', 4.25, 11.75],
        ['low', 11.75, expect.closeTo(11.75 + minutes)],
      ],
      [['good', 5.75, 24]],
    ])
  })

  it('begin with the first one of which anything is known', () => {
    const history = historyOf(
      '2026-11-04T00:00:00.000Z',
      ['2026-11-01T00:00:00.000Z', 'unknown'],
      ['2026-11-02T12:00:00.000Z', 'good'],
      ['2026-11-03T12:00:00.000Z', 'unknown'],
    )

    expect(placesOf(history, 'UTC')).toEqual([
      [
        ['good', 0, 12],
        ['unknown', 12, 24],
      ],
      [['good', 12, 24]],
    ])
    expect(
      splitIntoDays(
        historyOf('2026-11-02T00:00:00.000Z', ['2026-11-01T00:00:00.000Z', 'unknown']),
        createZone('UTC'),
      ),
    ).toEqual([])
  })

  it('are as many as the range has, whole or not', () => {
    const history = {
      ...historyOf('2026-11-03T12:00:00.000Z', ['2026-11-01T12:00:00.000Z', 'good']),
      start: '2026-11-01T12:00:00.000Z',
    }

    expect(placesOf(history, 'UTC')).toEqual([[['good', 0, 12]], [['good', 0, 24]]])
  })

  it('leave out the hour that a clock skips, and show again the one that it repeats', () => {
    const spring = historyOf('2027-03-28T22:00:00.000Z', ['2027-03-27T23:00:00.000Z', 'good'])
    expect(placesOf(spring, 'Europe/Berlin')).toEqual([[['good', 0, 24]]])

    const autumn = historyOf(
      '2026-10-25T23:00:00.000Z',
      ['2026-10-24T22:00:00.000Z', 'good'],
      ['2026-10-25T00:30:00.000Z', 'dry'],
      ['2026-10-25T01:30:00.000Z', 'low'],
    )
    expect(placesOf(autumn, 'Europe/Berlin')).toEqual([
      [
        ['good', 0, 2.5],
        ['dry', 2.5, 3],
        ['dry', 2, 2.5],
        ['low', 2.5, 24],
      ],
    ])
  })
})

describe('the history of health', () => {
  it('is asked for at its path and shown, and a failure is said', async () => {
    const asked: string[] = []
    globalThis.fetch = async (path) => {
      asked.push(String(path))
      return new Response('{"available":true}')
    }
    stop = followHealthHistory()
    await expect.poll(() => healthHistory.value).toEqual({ available: true })
    stop()
    globalThis.fetch = async () => new Response('', { status: 503 })
    stop = followHealthHistory()
    await expect.poll(() => healthHistoryFailed.value).toBe(true)

    expect(healthHistory.value).toEqual({ available: true })
    expect(asked).toEqual(['/api/v1/health/history'])
  })
})
