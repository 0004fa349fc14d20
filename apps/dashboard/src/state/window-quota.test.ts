import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { anEntry, change, changeStatus, showPool } from '../testing/page.ts'
import { shownUpstream, type status } from './live-data.ts'
import { readForecast } from './window-quota.ts'

const HOUR = 3_600_000
const inHours = (hours: number) => new Date(NOW + hours * HOUR).toISOString()

type Trend = NonNullable<typeof status.value>['tabs']['trends']['windows'][number]

interface Changes {
  readonly runway?: Partial<Trend['runway']>
  readonly forecast?: Trend['forecast']
}

function showTrend({ runway, ...changes }: Changes) {
  showPool([anEntry('ana')])
  changeStatus((now) => {
    const windows = now.tabs.trends.windows.map((window) => ({
      ...window,
      ...changes,
      runway: { ...window.runway, ...runway },
    }))
    return { tabs: { ...now.tabs, trends: { windows } } }
  })
}
const forecast = [{ at: inHours(1), expected: 2, low: 1, high: 3 }]
const dry = { runsDryAt: inHours(2), p25: inHours(1), p75: inHours(3) }

describe('the forecast of a window', () => {
  it.each([
    { what: 'sure', runway: { ...dry, confidence: 'high' }, isRough: false, dryHours: 2 },
    { what: 'rough', runway: { ...dry, confidence: 'low' }, isRough: true, dryHours: null },
    { what: 'that it lasts', runway: { confidence: 'high' }, isRough: false, dryHours: null },
  ] as const)('is $what', ({ runway, isRough, dryHours }) => {
    showTrend({ forecast, runway })

    expect(readForecast('5h')).toEqual({
      points: [{ atMs: NOW + HOUR, expected: 2, low: 1, high: 3 }],
      isRough,
      dryMs: dryHours === null ? null : NOW + dryHours * HOUR,
    })
  })

  it('is none without a pace, of a single proxy, and of a window that is not there', () => {
    showTrend({})
    expect(readForecast('5h')).toBeNull()

    showTrend({ forecast })
    expect(readForecast('month')).toBeNull()
    expect(readForecast('5h')).not.toBeNull()
    change(() => {
      shownUpstream.value = 'east'
    })
    expect(readForecast('5h')).toBeNull()
    change(() => {
      shownUpstream.value = ''
    })
  })
})
