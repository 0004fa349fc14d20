import type { StatsWindows } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setFilter, setSpan } from '../state/usage-question.ts'
import { change, draw, wordsOf, wordsOfEach } from '../testing/page.ts'
import { aMixedPool, clearProvider, showProvider } from '../testing/providers.ts'
import { statsWindows, statsWindowsFailed } from './stats-windows.tsx'

vi.mock('./stats-windows.css', () => ({}))
const { WindowUse } = await import('./stats-windows.tsx')

const asked: string[] = []
let answer: () => Promise<unknown>
beforeEach(() => {
  answer = () => new Promise(() => undefined)
  vi.stubGlobal('fetch', (path: string) => {
    asked.push(path)
    return answer()
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  asked.length = 0
  statsWindows.value = null
  statsWindowsFailed.value = false
})

const fiveHour: StatsWindows['windows'][number] = {
  ...{ id: '5h', label: '5h', endedCount: 1_868, knownCount: 1_865, dryCount: 186, dryPercent: 10 },
  ...{ expiredUnits: 238.782, notBegunUnits: 0.961, trackedUnits: 705.6 },
}
const week: StatsWindows['windows'][number] = {
  ...{
    id: 'week',
    label: 'Weekly',
    endedCount: 59,
    knownCount: 59,
    dryCount: 12,
    dryPercent: 20.3,
  },
  ...{ expiredUnits: 13.426, notBegunUnits: 0, trackedUnits: 41 },
}
const answered = (changes: Partial<StatsWindows> = {}): StatsWindows => ({
  provider: 'codex',
  available: true,
  reason: null,
  range: {
    id: '30d',
    label: 'Last 30 days',
    seconds: 2_592_000,
    start: '2026-10-21T12:00:00.000Z',
    end: '2026-11-20T12:00:00.000Z',
  },
  query: { from: '2026-10-21T12:00:00.000Z', to: '2026-11-20T12:00:00.000Z' },
  watchedSeconds: 2_584_800,
  windows: [fiveHour, week],
  ...changes,
})
const show = (next: StatsWindows | null) => {
  statsWindows.value = next
  return draw(h(WindowUse, {}))
}

describe('how full the windows of several providers were', () => {
  it('is asked for of the shown one, and says whose they are, in its unit', () => {
    showProvider(aMixedPool(), 'claude')
    const place = show(answered({ provider: 'claude' }))

    expect(asked).toEqual(['/api/v1/stats/windows?provider=claude'])
    expect(wordsOfEach(place, 'h3')).toEqual(['Claude: Quota that expired unused'])
    expect(wordsOfEach(place, '.totals > span')[1]).toBe('of 41.0 Pro a week')
    change(() => showProvider(aMixedPool(), 'all'))
    expect(asked.at(-1)).toBe('/api/v1/stats/windows')
    clearProvider()
  })
})

describe('how full the windows were', () => {
  it('is asked of the accounts and the time that usage is counted of', () => {
    setFilter('account', ['0011223344556677'])
    setFilter('client', ['ci'])
    setSpan('2026-11-14', '')
    show(answered())

    expect(asked).toEqual(['/api/v1/stats/windows?account=0011223344556677&from=2026-11-14'])
    for (const name of ['account', 'client'] as const) setFilter(name, [])
    setSpan('', '')
  })

  it('is asked for, and says what a week expired unused and how many windows ran dry', () => {
    const place = show(answered())

    expect(asked).toEqual(['/api/v1/stats/windows'])
    expect(wordsOfEach(place, '.totals > span')).toEqual([
      '13.4 Plus a week expired unused',
      'of 41.0 Plus a week',
    ])
    expect(wordsOfEach(place, 'tbody tr')).toEqual([
      '5h 10% 186 of 1,865 3',
      'Weekly 20% 12 of 59 0',
    ])
  })

  it('says that it is the least where ends are unknown, and what had not begun', () => {
    const place = show(
      answered({ windows: [fiveHour, { ...week, knownCount: 50, notBegunUnits: 3.5 }] }),
    )

    expect(wordsOfEach(place, '.totals > span').slice(0, 2)).toEqual([
      'at least 13.4 Plus a week expired unused',
      '3.5 Plus a week waited for a first request',
    ])
  })

  it('says what is not known yet', () => {
    const unknown = { expiredUnits: null, notBegunUnits: null, trackedUnits: null }
    const nothing = { endedCount: 0, knownCount: 0, dryCount: 0, dryPercent: null }
    const windows = [fiveHour, { ...week, ...unknown, ...nothing }]
    const place = show(answered({ windows, watchedSeconds: 3 * 86_400 }))

    expect(wordsOf(place.querySelector('p'))).toContain('so far it was 3d')
    expect(wordsOfEach(place, 'tbody tr')[1]).toBe('Weekly not known 0')
  })

  it('does not blame the time it was watched while no account counts', () => {
    const unknown = { expiredUnits: null, notBegunUnits: null, trackedUnits: null }
    const place = show(answered({ windows: [fiveHour, { ...week, ...unknown }] }))

    expect(wordsOf(place)).not.toContain('watched')
  })

  it.each([
    { what: 'before the first answer', next: null, words: '' },
    {
      what: 'without a store',
      next: answered({ available: false, reason: 'no_store', windows: [] }),
      words: '',
    },
    {
      what: 'while the store cannot be read',
      next: answered({ available: false, reason: 'store_unavailable', windows: [] }),
      words: 'Quota that expired unused How full the windows were could not be loaded. Try now',
    },
  ])('says "$words" $what', ({ next, words }) => {
    expect(wordsOf(show(next))).toBe(words)
  })

  it('says that it could not be loaded, until it is', async () => {
    answer = async () => ({ ok: false, status: 503 })
    const place = show(null)
    await expect.poll(() => statsWindowsFailed.value).toBe(true)
    expect(wordsOf(place)).toContain('could not be loaded')

    answer = async () => ({ ok: true, json: async () => answered() })
    place.querySelector('button')?.click()
    await expect.poll(() => statsWindows.value?.available).toBe(true)
    expect(statsWindowsFailed.value).toBe(false)
  })
})
