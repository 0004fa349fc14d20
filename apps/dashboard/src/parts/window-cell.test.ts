import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { browserMs, type PoolWindow, zone } from '../state/live-data.ts'
import { change, draw, showPool, wordsOf } from '../testing/page.ts'
import { returnText, shareText, WindowCell } from './window-cell.tsx'

const aWindow = (changes: Partial<PoolWindow>): PoolWindow => ({
  id: '5h',
  state: 'known',
  percent: 74,
  resetsInSeconds: 2_940,
  stale: false,
  ...changes,
})

describe('a cell of a window', () => {
  it.each([
    { what: 'known', window: {}, words: '5h 74% 49min' },
    { what: 'known without a reset', window: { resetsInSeconds: null }, words: '5h 74%' },
    {
      what: 'rolled over',
      window: { percent: 100, resetsInSeconds: null, rolledOver: true },
      words: '5h 100% reset?',
    },
    { what: 'stale', window: { stale: true }, words: '5h 74% stale 49min' },
    {
      what: 'used up',
      window: { state: 'exhausted', percent: 0 },
      words: '5h 0% 49min',
    },
    {
      what: 'used up, nobody knows until when',
      window: { state: 'exhausted', percent: 0, resetsInSeconds: null },
      words: '5h 0% no time',
    },
    {
      what: 'never read',
      window: { state: 'unknown', percent: null, resetsInSeconds: null },
      words: '5h ? no reading yet',
    },
    {
      what: 'not part of the plan',
      window: { state: 'absent', percent: null, resetsInSeconds: null },
      words: '5h none',
    },
    { what: 'of the week', window: { id: 'week' }, words: 'W 74% 49min' },
    { what: 'of the month', window: { id: 'month' }, words: 'M 74% 49min' },
  ] as const)('that is $what reads "$words"', ({ window, words }) => {
    expect(wordsOf(draw(h(WindowCell, { window: aWindow(window) })))).toBe(words)
  })

  it('says that the week holds a window back, whatever its own reset is', () => {
    const cell = draw(h(WindowCell, { window: aWindow({}), heldByWeek: true }))

    expect(wordsOf(cell)).toBe('5h 74% waits for the week')
  })

  it('says that a window starts with its first use, and not when it would end', () => {
    const cell = draw(h(WindowCell, { window: aWindow({ percent: 100, notStarted: true }) }))

    expect(wordsOf(cell)).toBe('5h 100% starts with first use')
  })

  it('says of a window of another length that it is not counted', () => {
    const cell = draw(h(WindowCell, { window: aWindow({ id: 'month' }), isUncounted: true }))

    expect(wordsOf(cell)).toBe('M 74% Only a monthly window, not counted 49min')
  })

  it('marks a window that is used up', () => {
    const classOf = (window: PoolWindow) =>
      draw(h(WindowCell, { window })).querySelector('div')?.getAttribute('class')

    expect(classOf(aWindow({ state: 'exhausted', percent: 0 }))).toBe('window exhausted')
    expect(classOf(aWindow({}))).toBe('window')
  })

  it('counts down between two answers, and not below zero', () => {
    showPool([])
    expect(zone.value.displayTimezone).toBe('Asia/Shanghai')
    const shownMs = browserMs.value
    const texts = [0, 14_999, 15_000, 120_000, 9_000_000].map((laterMs) => {
      change(() => {
        browserMs.value = shownMs + laterMs
      })
      return returnText(aWindow({ resetsInSeconds: 180 }), false)
    })
    browserMs.value = NOW

    expect(texts).toEqual(['3min', '3min', '2min', '1min', '0 s'])
  })

  it.each([
    { percent: 0.04, text: '<1%' },
    { percent: 99.4, text: '99%' },
    { percent: null, text: '0%' },
  ])('writes $percent % left as $text', ({ percent, text }) => {
    expect(shareText({ state: 'known', percent })).toBe(text)
  })
})
