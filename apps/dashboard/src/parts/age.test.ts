import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { theme } from '../state/display-state.ts'
import { browserMs, status } from '../state/live-data.ts'
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

  // The account list is read every 15 s.
  it.each([
    { seconds: 0, words: '0 s ago', tone: 'good' },
    { seconds: 30, words: '30 s ago', tone: 'good' },
    { seconds: 31, words: '31 s old', tone: 'warn' },
    { seconds: 150, words: '2min old', tone: 'warn' },
    { seconds: 151, words: '2min old', tone: 'bad' },
    { seconds: -5, words: '0 s ago', tone: 'good' },
  ])('of $seconds s reads "$words" and is $tone', ({ seconds, words, tone }) => {
    showPool([anEntry('ana')])
    change(() => {
      browserMs.value = NOW + seconds * 1_000
    })
    const place = draw(h(Age, {}))

    expect(wordsOf(place)).toBe(words)
    expect(place.querySelector('.age')?.attribute('class')).toBe(`age tone-${tone}`)
  })

  it('is a time of day on a screen that is not redrawn every second', () => {
    showPool([anEntry('ana')])
    change(() => {
      theme.value = 'eink'
    })

    expect(wordsOf(draw(h(Age, {})))).toBe('at 20:00')
  })
})
