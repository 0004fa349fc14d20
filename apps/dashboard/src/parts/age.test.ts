import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { theme } from '../state/display-state.ts'
import { browserMs, connection, status } from '../state/live-data.ts'
import { anEntry, change, clearPage, draw, showPool, wordsOf } from '../testing/page.ts'
import { Age } from './age.tsx'

afterEach(() => {
  clearPage()
  theme.value = 'system'
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
