import type { StatsSeries } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { splitIntoHours } from './stats-week.tsx'

const HOUR_MS = 3_600_000
/** A Friday. */
const END = Date.UTC(2026, 10, 20, 12)

/** Seven days up to `END`, each hour with its number of the day in UTC. */
const aWeek = (more: (fromMs: number) => object = () => ({})) =>
  ({
    query: { metric: 'tokens' },
    total: {
      points: Array.from({ length: 168 }, (_, index) => {
        const fromMs = END - (168 - index) * HOUR_MS
        const tokens = new Date(fromMs).getUTCHours()
        return { t: new Date(fromMs).toISOString(), tokens, ...more(fromMs) }
      }),
    },
  }) as unknown as StatsSeries

const inZone = (hours: number) => ({ offsetMs: () => hours * HOUR_MS })

describe('the hours of a week', () => {
  it.each([0, 8, -5, 5.5])('are seven days of 24 by the clock of UTC%i, today last', (hours) => {
    const days = splitIntoHours(aWeek(), inZone(hours))
    const cells = days.flat()

    expect(days.map((day) => day.length)).toEqual(Array.from({ length: 7 }, () => 24))
    expect(new Set(cells.map((cell) => cell?.fromMs)).size).toBe(168)
    for (const [hour, cell] of (days[6] ?? []).entries())
      expect(cell?.value).toBe((hour + 24 - Math.floor(hours)) % 24)
    const now = new Date(END - HOUR_MS + hours * HOUR_MS)
    expect(days[6]?.[now.getUTCHours()]?.fromMs).toBe(END - HOUR_MS)
  })

  it('are not known where the bucket is not', () => {
    const days = splitIntoHours(
      aWeek((fromMs) => (fromMs === END - HOUR_MS ? { unknown: true } : {})),
      inZone(0),
    )

    expect(days[6]?.[11]).toEqual({ fromMs: END - HOUR_MS, value: null })
  })

  it('add up the hour that comes twice, and have none that the clock leaves out', () => {
    const change = END - 36 * HOUR_MS
    const back = splitIntoHours(aWeek(), { offsetMs: (ms) => (ms < change ? HOUR_MS : 0) })
    const ahead = splitIntoHours(aWeek(), { offsetMs: (ms) => (ms < change ? 0 : HOUR_MS) })

    expect(back[5]?.[0]?.value).toBe(23 + 0)
    expect(ahead[5]?.[0]).toBe(null)
  })

  it('never add an hour of a week ago to one of today', () => {
    const change = END - 36 * HOUR_MS
    const ahead = splitIntoHours(aWeek(), { offsetMs: (ms) => (ms < change ? 0 : HOUR_MS) })

    // 168 hours ago it was 12 o'clock, before the clocks went forward; now it is that hour again.
    expect(ahead[6]?.[12]).toEqual({ fromMs: END - HOUR_MS, value: 11 })
  })
})
