import { anAccount, NOW } from '@svc/core/testing'
import { h } from 'preact'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadViewsAhead } from '../parts/lazy-view.tsx'
import { connection, health, status } from '../state/live-data.ts'
import { setMedia } from '../testing/browser.ts'
import {
  anEntry,
  change,
  changeStatus,
  draw,
  elementsOf,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { strings } from '../words/strings.ts'
import { Overview } from './overview.tsx'

beforeAll(loadViewsAhead)

const overview = () => draw(h(Overview, {}))
const section = (title: string) =>
  wordsOf(overview().querySelector(`section[aria-labelledby=${title}]`))

const inHours = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString()
const anUnread = (name: string) => [anAccount(name), null] as const

describe('the overview', () => {
  it('helps to set the monitor up as long as there is nothing to show, but says nothing before the first answer', () => {
    const answers = connection.value
    change(() => {
      status.value = null
      health.value = null
    })
    const place = overview()

    expect(wordsOf(place)).toBe('')
    change(() => {
      connection.value = { ...answers, failingSinceMs: NOW }
    })
    expect(wordsOf(place.querySelector('#title-set-up'))).toBe('Set up')
    change(() => {
      connection.value = answers
    })
  })

  it('says how to add an account where the proxy has none', () => {
    showPool([])

    const place = overview()

    expect(wordsOf(place.querySelector('#title-set-up'))).toBe('Set up')
    expect(wordsOf(place).split(strings.noAccounts)).toHaveLength(2)
    expect(strings.noAccounts).toMatch(
      /^The proxy has no (\w+ )?accounts\. Add one there; it will show up here within 20 seconds\.$/,
    )
  })

  it('shows one account with its score, its windows and why', () => {
    showPool([anEntry('ana')])

    expect(section('title-use')).toMatch(
      /^Use next 1 routable, 0 blocked ana@example\.com Plus \d+ of 100 5h 80% 2h 30min W 60% 1d 1h /,
    )
    expect(section('title-need')).toBe('Needs you Health Nothing to do.')
    expect(section('title-5h')).toMatch(
      /^5-hour quota 0\.8 of 1 Plus usable 80% 0\.8 measured Next \+0\.2 Plus at 22:30, in 2h 30min Pace Unknown, needs 30 min of readings\./,
    )
  })

  it('lists the others behind the best, each with its place', () => {
    showPool([anEntry('ana'), anEntry('bob', { fiveHour: 30 }), anEntry('cyd', { fiveHour: 50 })])

    const others = elementsOf(overview(), '.then li')

    expect(others.map((item) => wordsOf(item).replace(/ \d+$/, ''))).toEqual([
      '2 cyd@example.com Plus',
      '3 bob@example.com Plus',
    ])
    expect(others[0]?.querySelector('a')?.getAttribute('href')).toBe('#accounts/index-cyd')
  })

  it('says when the first account is back, where none can be used', () => {
    showPool([anEntry('ana', { fiveHour: 0 }), anEntry('bob', { fiveHour: 0 })])

    expect(section('title-use')).toBe('Use next 0 routable, 2 blocked No account can take work.')
    expect(overview().querySelector('.then')).toBe(null)
    expect(wordsOf(overview().querySelector('.facts dd'))).toMatch(/^\+2\.0 Plus at 22:30,/)
    expect(wordsOf(overview().querySelector('.returns li b'))).toBe('+2.0')
    expect(section('title-need')).toMatch(
      /^Needs you Health Nothing routable No account can take work: all 2 are blocked\./,
    )
  })

  it.each([
    { unread: 0, words: /^0\.8 of 1 Plus usable 80%$/ },
    { unread: 1, words: /^at least 0\.8 of 2 Plus usable$/ },
  ])('with $unread accounts unread the big number reads $words', ({ unread, words }) => {
    const others = Array.from({ length: unread }, (_, index) => anUnread(`other${index}`))
    showPool([anEntry('ana'), ...others])

    expect(wordsOf(overview().querySelector('.big'))).toMatch(words)
  })

  it('says of a pool of which nothing is read that it is unknown, not that it is empty', () => {
    showPool([anUnread('ana')])

    expect(wordsOf(overview().querySelector('.big'))).toBe('? of 1 Plus usable')
    expect(wordsOf(overview().querySelector('.facts'))).toMatch(/^Next No reset time known yet /)
    expect(overview().querySelector('.flow-place')).toBeNull()
  })

  it.each([
    { tone: 'bad', icons: 1 },
    { tone: 'warn', icons: 1 },
    { tone: 'good', icons: 0 },
    { tone: 'unknown', icons: 0 },
  ] as const)('gives the big number the tone $tone of its window', ({ tone, icons }) => {
    showPool([anEntry('ana')])
    changeStatus((now) => {
      const windows = now.tabs.pool.windows.map((window) => ({ ...window, tone }))
      const pool = { ...now.tabs.pool, windows }
      return { tabs: { ...now.tabs, pool } }
    })
    const number = overview().querySelector('.big')

    expect(number?.getAttribute('class')).toBe(`big tone-${tone}`)
    expect(number?.querySelectorAll(`.icon.tone-${tone}`)).toHaveLength(icons)
  })

  it.each([
    { what: 'first where the page is one column', isNarrow: true, fiveHour: 0, at: 0 },
    { what: 'beside the others where it is wide', isNarrow: false, fiveHour: 0, at: 3 },
    { what: 'beside the others where nothing is wrong', isNarrow: true, fiveHour: 80, at: 3 },
  ])('has what needs somebody $what', ({ isNarrow, fiveHour, at }) => {
    change(() => setMedia('(max-width: 900px)', isNarrow))
    showPool([anEntry('ana', { fiveHour })])

    const titles = wordsOfEach(overview(), 'section h2')
    change(() => setMedia('(max-width: 900px)', false))

    expect(titles.indexOf('Needs you')).toBe(at)
    expect(titles.filter((title) => title === 'Needs you')).toHaveLength(1)
  })

  it('calls nothing measured while the monitor is silent', () => {
    showPool([anEntry('ana')])
    const answers = connection.value
    change(() => {
      connection.value = { failingSinceMs: NOW - 60_000, lastAnswerMs: NOW - 60_000, nextTryMs: 0 }
    })
    const place = overview()
    const key = wordsOf(place.querySelector('.capacity .key'))
    const nowText = wordsOf(place.querySelector('.flow .strong'))
    const needs = wordsOf(place.querySelector('.need .empty'))
    change(() => {
      connection.value = answers
    })

    expect([key, nowText]).toEqual(['0.8 stale', '19:59'])
    expect(needs).toBe('Not known while the monitor is silent.')
    expect(wordsOf(place.querySelector('.need .empty'))).toBe('Nothing to do.')
    expect(wordsOf(place.querySelector('.capacity .key'))).toBe('0.8 measured')
    expect(wordsOf(place.querySelector('.flow .strong'))).toBe('now')
  })

  it.each([
    {
      verdict: 'safe',
      text: '2.0 Plus/h: 8h 00min, with resets over 48 h',
    },
    {
      verdict: 'safe',
      secondsWithoutReturns: null,
      text: '2.0 Plus/h: over 48 h even without resets',
    },
    {
      verdict: 'safe',
      secondsWithoutReturns: 0,
      text: '2.0 Plus/h: nothing left, with resets over 48 h',
    },
    {
      verdict: 'tight',
      p25: inHours(3),
      text: '2.0 Plus/h: 8h 00min, with resets until 23:00 or longer',
    },
    {
      verdict: 'tight',
      p25: inHours(3),
      confidence: 'low',
      text: '2.0 Plus/h, rough: 3 h or more with resets',
    },
    {
      verdict: 'runs-dry',
      runsDryAt: inHours(2),
      p25: inHours(1),
      p75: inHours(3),
      secondsWithoutReturns: 3_600,
      text: '2.0 Plus/h: 1h 00min, with resets until 22:00 (21:00 to 23:00)',
    },
    {
      verdict: 'runs-dry',
      runsDryAt: inHours(2),
      p25: inHours(1),
      p75: inHours(3),
      confidence: 'low',
      text: '2.0 Plus/h, rough: 1 to 3 h with resets',
    },
    {
      verdict: 'safe',
      confidence: 'low',
      text: '2.0 Plus/h, rough: beyond 48 h with resets',
    },
    {
      verdict: 'safe',
      lapsingAccounts: 1,
      text: '2.0 Plus/h: 8h 00min, with resets over 48 h, 1 plan ends',
    },
    {
      verdict: 'safe',
      lapsingAccounts: 2,
      text: '2.0 Plus/h: 8h 00min, with resets over 48 h, 2 plans end',
    },
  ] as const)('words a pace: $text', ({ text, ...forecast }) => {
    showPool([anEntry('ana')])
    change(() => {
      const now = status.value
      const [fiveHour, ...others] = now?.tabs.trends.windows ?? []
      if (now == null || fiveHour === undefined) throw new Error('there is no trend')
      const usual = { burnPerHour: 2, confidence: 'high', secondsWithoutReturns: 28_800 } as const
      const runway = { ...fiveHour.runway, ...usual, ...forecast }
      status.value = {
        ...now,
        tabs: { ...now.tabs, trends: { windows: [{ ...fiveHour, runway }, ...others] } },
      }
    })

    expect(wordsOf(overview().querySelector('.facts'))).toContain(`Pace ${text}`)
    expect(overview().querySelector('.dry') !== null).toBe(forecast.verdict === 'runs-dry')
  })
})
