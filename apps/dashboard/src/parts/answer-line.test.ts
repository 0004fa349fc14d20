import { anAccount, NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kiosk } from '../state/display-state.ts'
import { connection, status } from '../state/live-data.ts'
import { anEntry, change, draw, showAnswer, showPool, wordsOf } from '../testing/page.ts'
import { AnswerLine } from './answer-line.tsx'

const anUnread = (name: string) => [anAccount(name), null] as const
const answers = { failingSinceMs: null, lastAnswerMs: NOW, nextTryMs: NOW + 5_000 }
const said = () => wordsOf(line()).replace(/^Can a big job start\? /, '')
const line = () => draw(h(AnswerLine, {})).querySelector('.answer')

beforeEach(() => {
  location.hash = '#overview'
})
afterEach(() => {
  connection.value = answers
})

describe('the answer', () => {
  it('says whether a big job may start, in its tone', () => {
    showPool([anEntry('ana')])
    expect(said()).toBe('Yes. 0.8 Plus usable now, ana@example.com first.')
    expect(line()?.className).toBe('answer tone-good')
    expect(wordsOf(line()?.querySelector('.kept') ?? null)).toBe('ana@example.com')

    showAnswer({ text: '先用 ana@example.com，可用到 12:00 以后。' })
    expect(wordsOf(line()?.querySelector('.kept') ?? null)).toBe('ana@example.com，')

    showPool([anEntry('ana', { fiveHour: 0 })])
    expect(said()).toBe('Wait until 22:30: 1.0 Plus come back.')
    expect(line()?.className).toBe('answer tone-bad')
  })

  it('says how far the first round has come, and nothing once it is over', () => {
    showPool([anEntry('ana'), anUnread('bob')])
    expect(said()).toMatch(
      /^Yes, at least 0\.8 Plus usable, .* 1 of 2 read, done about \d\d:\d\d\.$/,
    )
    expect(line()?.querySelector('progress')?.getAttribute('max')).toBe('2')

    showPool([anEntry('ana')])
    expect(line()?.querySelector('progress')).toBeNull()
  })

  it.each([
    { lastAnswerMs: NOW - 65_000, words: 'Not known: the monitor has been silent since 19:58.' },
    { lastAnswerMs: null, words: 'The monitor does not answer.' },
  ])('is the page\'s own while the monitor is silent: "$words"', ({ lastAnswerMs, words }) => {
    showPool([anEntry('ana')])
    connection.value = { failingSinceMs: NOW - 60_000, lastAnswerMs, nextTryMs: NOW }

    expect([said(), line()?.className]).toEqual([words, 'answer tone-bad'])
  })

  it.each([
    { hash: '#overview', mode: '', isOnScreen: true },
    { hash: '#accounts', mode: '', isOnScreen: false },
    { hash: '#accounts', mode: '1', isOnScreen: true },
  ])('is at $hash on a wall "$mode" on the screen: $isOnScreen, and always on paper', (place) => {
    showPool([anEntry('ana')])
    location.hash = place.hash
    kiosk.value = place.mode

    expect(line()?.classList.contains('printed')).toBe(!place.isOnScreen)
  })

  it('is left to the first screen before the account list was read, except on a wall', () => {
    showPool([])
    change(() => {
      if (status.value !== null) status.value = { ...status.value, available: false }
    })
    expect(line()).toBeNull()
    kiosk.value = '1'

    expect(line()).not.toBeNull()
  })
})
