import { fromNow, NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { theme } from '../state/display-state.ts'
import { browserMs, connection, health, status } from '../state/live-data.ts'
import { anEntry, change, draw, showAnswer, showPool, wordsOf } from '../testing/page.ts'
import { AnswerLine } from './answer-line.tsx'
import { Age, Banners } from './freshness.tsx'

afterEach(() => {
  browserMs.value = NOW
})

describe('the age of the data', () => {
  it('is not known before the first reading', () => {
    change(() => {
      status.value = null
    })

    expect(wordsOf(draw(h(Age, {})))).toBe('no data')
  })

  // The account list is read every 15 s; with a large pool the page sees it up to 20 s later.
  it.each([
    { seconds: 0, words: '0 s ago', tone: 'good' },
    { seconds: 36, words: '36 s ago', tone: 'good' },
    { seconds: 50, words: '50 s ago', tone: 'good' },
    { seconds: 51, words: '51 s old', tone: 'warn' },
    { seconds: 170, words: '2min old', tone: 'warn' },
    { seconds: 171, words: '2min old', tone: 'bad' },
    { seconds: -5, words: '0 s ago', tone: 'good' },
  ])('of $seconds s reads "$words" and is $tone', ({ seconds, words, tone }) => {
    showPool([anEntry('ana')])
    change(() => {
      browserMs.value = NOW + seconds * 1_000
    })
    const place = draw(h(Age, {}))

    expect(wordsOf(place)).toBe(words)
    expect(place.querySelector('.age')?.getAttribute('class')).toBe(`age tone-${tone}`)
  })

  it('is bad at once while the monitor is silent', () => {
    showPool([anEntry('ana')])
    const answers = connection.value
    change(() => {
      connection.value = { failingSinceMs: NOW - 8_000, lastAnswerMs: NOW - 8_000, nextTryMs: 0 }
    })
    const place = draw(h(Age, {}))

    expect(place.querySelector('.age')?.getAttribute('class')).toBe('age tone-bad')
    expect(wordsOf(place)).toBe('0 s old')
    connection.value = answers
  })

  it.each([
    { everySeconds: 5, good: 20, late: 21 },
    { everySeconds: 60, good: 140, late: 141 },
  ])('is late by the pace of the lists, here $everySeconds s', ({ everySeconds, good, late }) => {
    showPool([anEntry('ana')], { observed: { accountRefreshSeconds: everySeconds } })
    const place = draw(h(Age, {}))
    const toneAfter = (seconds: number) => {
      change(() => {
        browserMs.value = NOW + seconds * 1_000
      })
      return place.querySelector('.age')?.getAttribute('class')
    }

    expect([toneAfter(good), toneAfter(late)]).toEqual(['age tone-good', 'age tone-warn'])
  })

  it('is a time of day on a screen that is not redrawn every second', () => {
    showPool([anEntry('ana')])
    change(() => {
      theme.value = 'eink'
    })

    expect(wordsOf(draw(h(Age, {})))).toBe('at 20:00')
  })
})

const answers = { failingSinceMs: null, lastAnswerMs: NOW, nextTryMs: NOW + 5_000 }

afterEach(() => {
  connection.value = answers
  browserMs.value = NOW
})

const banner = () => wordsOf(draw(h(Banners, {})))
const timeout = {
  outcome: { kind: 'failed', code: 'timeout', at: fromNow(0) },
  failuresInARow: 4,
} as const

describe('the banner', () => {
  beforeEach(() => {
    location.hash = '#accounts'
  })

  it('is not there while everything answers', () => {
    showPool([anEntry('ana')])
    connection.value = answers

    expect(banner()).toBe('')
  })

  it('says that the monitor has never answered', () => {
    change(() => {
      status.value = null
      health.value = null
      connection.value = { failingSinceMs: NOW, lastAnswerMs: null, nextTryMs: NOW + 2_000 }
    })

    expect(banner()).toBe('Not updating. The monitor does not answer. Try now')
  })

  it.each([
    { silentMs: 7_999, words: '' },
    {
      silentMs: 8_000,
      words:
        'Not updating. The monitor has not answered for 8 s. These are its last numbers, from 20:00. Trying again in 4 s. Try now',
    },
    {
      silentMs: 3_600_000,
      words:
        'Not updating. The monitor has not answered for 1h 00min. These are its last numbers, from 20:00. Trying again in 4 s. Try now',
    },
  ])('after $silentMs ms without an answer reads "$words"', ({ silentMs, words }) => {
    showPool([anEntry('ana')])
    change(() => {
      browserMs.value = NOW + silentMs
      connection.value = {
        failingSinceMs: NOW + 1_000,
        lastAnswerMs: NOW,
        nextTryMs: NOW + silentMs + 4_000,
      }
    })

    expect(banner()).toBe(words)
  })

  it('says which sources failed, while the rest is current', () => {
    showPool([anEntry('ana')], {
      observed: { sources: { direct_quota: { ...timeout, lastGood: null } } },
    })

    expect(status.value?.source).toBe('partial')
    expect(banner()).toMatch(/^Some sources failed\. Direct quota failed\./)
  })

  it('says how old a list of accounts is that cannot be read anew', () => {
    showPool([anEntry('ana')], {
      observed: { accountListIsRemembered: true },
    })

    expect(status.value?.source).toBe('stale')
    expect(banner()).toMatch(/^Old account list\. .* Try now$/)
  })

  it('leaves a dead proxy to the answer, where that is on the screen', () => {
    showPool([anEntry('ana')], { observed: { accountListIsRemembered: true } })
    showAnswer({ code: 'proxy_down' })

    expect(banner()).not.toBe('')
    location.hash = ''
    expect(banner()).toBe('')
    expect(wordsOf(draw(h(AnswerLine, {})))).toMatch(/ Try now$/)
  })
})
