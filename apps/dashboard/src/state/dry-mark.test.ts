import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { anEntry, change, showPool } from '../testing/page.ts'
import { dryMarkOf } from './dry-mark.ts'
import { status } from './live-data.ts'

const HOUR = 3_600_000
const inHours = (hours: number) => new Date(NOW + hours * HOUR).toISOString()

type Runway = NonNullable<typeof status.value>['tabs']['trends']['windows'][number]['runway']

function markOf(forecast: Partial<Runway>) {
  showPool([anEntry('ana')])
  change(() => {
    const now = status.value
    if (now === null) throw new Error('there is no status')
    const windows = now.tabs.trends.windows.map((window) => ({
      ...window,
      runway: { ...window.runway, ...forecast },
    }))
    status.value = { ...now, tabs: { ...now.tabs, trends: { windows } } }
  })
  const mark = dryMarkOf('5h')
  return mark === null ? null : { ...mark, toMs: Math.min(mark.toMs, NOW + 99 * HOUR) }
}

describe('when a window runs dry', () => {
  it.each([
    { what: 'of a window that lasts', forecast: {}, mark: null },
    {
      what: 'between its quartiles',
      forecast: { runsDryAt: inHours(2), p25: inHours(1), p75: inHours(3), confidence: 'high' },
      mark: { fromMs: 1, atMs: 2, toMs: 3 },
    },
    {
      what: 'with no end where the late quartile lasts',
      forecast: { runsDryAt: inHours(2), p25: inHours(1), p75: null, confidence: 'high' },
      mark: { fromMs: 1, atMs: 2, toMs: 99 },
    },
    {
      what: 'not at all at a low confidence',
      forecast: { runsDryAt: inHours(2), p25: inHours(1), p75: inHours(3), confidence: 'low' },
      mark: null,
    },
  ] as const)('is marked $what', ({ forecast, mark }) => {
    const found = markOf(forecast)

    if (mark === null) expect(found).toBeNull()
    else
      expect(found).toEqual({
        fromMs: NOW + mark.fromMs * HOUR,
        atMs: NOW + mark.atMs * HOUR,
        toMs: NOW + mark.toMs * HOUR,
      })
  })

  it('is not marked of a window that is not there', () => {
    showPool([])

    expect(dryMarkOf('month')).toBeNull()
  })
})
