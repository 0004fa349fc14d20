import type { QuotaCourse } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { historyFailed, historyRange, quotaHistory } from '../state/quota-history.ts'
import { dispatch } from '../testing/browser.ts'
import { change, draw, enter, holdAnswers, wordsOf, wordsOfEach } from '../testing/page.ts'

vi.mock('./quota-history.css', () => ({}))
const { QuotaHistoryCharts: Course } = await import('./quota-history.tsx')

const KEY = '0011223344556677'
const window: QuotaCourse['windows'][number] = {
  id: '5h',
  label: '5h',
  readingCount: 2,
  points: [
    {
      t: '2026-11-20T00:00:00.000Z',
      percent: 90,
      usedPercent: 10,
      resetAt: null,
      origin: 'direct',
      ageSeconds: 53,
      rolledOver: false,
    },
    {
      t: '2026-11-20T20:00:00.000Z',
      percent: 40,
      usedPercent: 60,
      resetAt: null,
      origin: null,
      ageSeconds: null,
      rolledOver: false,
    },
  ],
  resets: [{ at: '2026-11-20T20:00:00.000Z', percentBefore: 5, percentAfter: 40, expected: false }],
  gaps: [{ from: '2026-11-20T06:00:00.000Z', to: '2026-11-20T20:00:00.000Z' }],
  cycles: [],
}
const answered = (changes: Partial<QuotaCourse> = {}): QuotaCourse => ({
  accountKey: KEY,
  available: true,
  reason: null,
  range: {
    id: '24h',
    label: 'Last 24 h',
    seconds: 86_400,
    start: '2026-11-20T00:00:00.000Z',
    end: '2026-11-21T00:00:00.000Z',
  },
  windows: [window],
  ...changes,
})

let asked: string[] = []
beforeEach(() => {
  asked = holdAnswers()
})
afterEach(() => {
  quotaHistory.value = null
  historyFailed.value = false
  historyRange.value = '24h'
})

const show = (next: QuotaCourse | null, absent: readonly string[] = []) => {
  quotaHistory.value = next
  return draw(h(Course, { accountKey: KEY, absent }))
}

describe('the course in the drawer', () => {
  it.each([
    { what: 'nothing yet', next: null, failed: false, words: 'Loading the chart.' },
    {
      what: 'a failure',
      next: null,
      failed: true,
      words: 'The chart could not be loaded. Try now',
    },
    {
      what: 'another account',
      next: answered({ accountKey: 'x' }),
      failed: false,
      words: 'Loading the chart.',
    },
    {
      what: 'no store',
      next: answered({ available: false, reason: 'no_store', windows: [] }),
      failed: false,
      words:
        'Nothing is recorded. Set state_db = "history.db" in the configuration, or start with --state-db <path> .',
    },
    {
      what: 'an account without readings',
      next: answered({ windows: [{ ...window, points: [] }] }),
      failed: false,
      words: '5h: nothing recorded in this range.',
    },
  ])('says so where there is $what', ({ next, failed, words }) => {
    historyFailed.value = failed

    expect(wordsOfEach(show(next), 'p')).toEqual([words])
  })

  it('draws no window that the account does not have', () => {
    const two = answered({ windows: [window, { ...window, id: 'week', label: 'Weekly' }] })

    expect(show(two, ['5h']).querySelectorAll('[role=slider]')).toHaveLength(1)
    expect(show(two).querySelectorAll('[role=slider]')).toHaveLength(2)
  })

  it('draws each window with its gap, its reset and what is left now', () => {
    const place = show(answered())

    expect(wordsOf(place.querySelector('figcaption'))).toMatch(/^5h .*: 40% left$/)
    expect(place.querySelectorAll('.gap')).toHaveLength(1)
    expect(place.querySelectorAll('.unexpected')).toHaveLength(1)
    expect(place.querySelector('.line')?.getAttribute('d')).toMatch(
      /^M0\.0 \S+H80\.0M266\.7 \S+H320\.0$/,
    )
  })

  it('reads out by keys what was left, or that it is not known, from one end to the other', () => {
    const place = show(answered())
    const slider = () => place.querySelector('[role="slider"]')
    const pressOn = (key: string) =>
      change(() => {
        const element = slider()
        if (element !== null) dispatch(element, 'keydown', { key })
      })
    const words = () => slider()?.getAttribute('aria-valuetext')?.replace(/^.*: /, '')

    expect([words(), slider()?.getAttribute('aria-valuenow')]).toEqual(['40% left', '96'])
    pressOn('Home')
    expect([words(), slider()?.getAttribute('aria-valuenow')]).toEqual(['90% left', '0'])
    pressOn('ArrowLeft')
    expect(slider()?.getAttribute('aria-valuenow')).toBe('0')
    for (let step = 0; step < 40; step += 1) pressOn('ArrowRight')
    expect(words()).toBe('not known')
    pressOn('x')
    expect(slider()?.getAttribute('aria-valuenow')).toBe('40')
  })

  it('has the same as a table once that is opened, newest first', () => {
    const place = show(answered())
    expect(wordsOf(place.querySelector('summary'))).toBe('2 readings, 1 reset')
    expect(place.querySelectorAll('tr')).toHaveLength(0)
    change(() => {
      const details = place.querySelector('details')
      if (details !== null) dispatch(Object.assign(details, { open: true }), 'toggle')
    })

    expect(wordsOfEach(place, 'tbody td')).toEqual([
      '40% left',
      '',
      'Unannounced reset',
      '5% → 40%',
      'not known',
      '14h 00min',
      '90% left',
      'Direct query, 53 s old',
    ])
  })

  describe('over days', () => {
    const cycle = (hours: readonly [number, number], usedPercent: number, more: object = {}) => ({
      start: `2026-11-20T${String(hours[0]).padStart(2, '0')}:00:00.000Z`,
      end: `2026-11-20T${String(hours[1]).padStart(2, '0')}:00:00.000Z`,
      state: 'ended' as const,
      usedPercent,
      expiredPercent: 100 - usedPercent,
      ...more,
    })
    const cycles = [
      cycle([0, 5], 73),
      cycle([5, 10], 100),
      cycle([10, 12], 20, { state: 'refilled', expiredPercent: null }),
      cycle([12, 17], 99.9, { expiredPercent: null }),
      cycle([18, 23], 4, { state: 'running', expiredPercent: null }),
    ]
    const overDays = () => {
      const { range } = answered()
      return show(answered({ range: { ...range, id: '7d' }, windows: [{ ...window, cycles }] }))
    }

    it('is one bar a window: red where it ran dry, hatched where its end is not known', () => {
      const place = overDays()

      expect(place.querySelector('.line')).toBeNull()
      expect([...place.querySelectorAll('svg g')].map((bar) => bar.getAttribute('class'))).toEqual([
        'known',
        'dry',
        'known',
        'stale',
        'known',
      ])
      expect(place.querySelectorAll('.dry rect')).toHaveLength(2)
      expect(wordsOf(place.querySelector('figcaption b'))).toBe('5h, used')
    })

    it('says of each window how much was used and what expired', () => {
      const place = overDays()
      expect(wordsOf(place.querySelector('summary'))).toBe('5 windows, 1 ran dry')
      change(() => {
        const details = place.querySelector('details')
        if (details !== null) dispatch(Object.assign(details, { open: true }), 'toggle')
      })

      expect(wordsOfEach(place, 'tbody td')).toEqual([
        ...['4% used', 'still running'],
        ...['at least 99% used', 'its end was not read'],
        ...['20% used', 'refilled before its reset'],
        ...['ran dry', ''],
        ...['73% used', '27% expired unused'],
      ])
    })

    it('reads out the window in use at a time, or that none was', () => {
      const place = overDays()
      const slider = () => place.querySelector('[role="slider"]')
      const words = () => slider()?.getAttribute('aria-valuetext')
      expect(words()).toMatch(/: no window in use$/)
      change(() => {
        const element = slider()
        if (element !== null) dispatch(element, 'keydown', { key: 'Home' })
      })

      expect(words()).toMatch(/ – .*: 73% used, 27% expired unused$/)
    })

    it('is the line of today where no window was in use', () => {
      const { range } = answered()
      const place = show(answered({ range: { ...range, id: '30d' } }))

      expect(place.querySelector('.line')).not.toBeNull()
    })
  })

  it('asks for another range', () => {
    const place = show(answered())
    enter(place.querySelectorAll('input')[2] ?? null, 'on', 'change')

    expect(asked.at(-1)).toBe(`/api/v1/accounts/${KEY}/quota?range=30d`)
  })
})
