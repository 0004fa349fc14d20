import '../testing/browser.ts'
import { fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { status } from '../state/live-data.ts'
import { outcome } from '../state/refresh.ts'
import { anEntry, change, clearPage, draw, showPool, wordsOf } from '../testing/page.ts'
import type { SmallElement } from '../testing/small-document.ts'
import { RefreshThis } from './refresh-this.tsx'

let place: SmallElement
const drawn = (isDisabled = false) => draw(h(RefreshThis, { accountKey: 'c3ae', isDisabled }))
const button = () => place.querySelector('button')

beforeEach(() => {
  showPool([anEntry('ana')])
})
afterEach(() => {
  clearPage()
  outcome.value = null
})

describe('the refresh of one account', () => {
  it.each([
    { isDisabled: false, words: 'Refresh this account' },
    { isDisabled: true, words: 'Probe this account' },
  ])('of one that is disabled: $isDisabled, is offered as "$words"', ({ isDisabled, words }) => {
    place = drawn(isDisabled)

    expect([wordsOf(button()), button()?.attribute('aria-disabled')]).toEqual([words, 'false'])
    expect(wordsOf(place).includes('stays disabled')).toBe(isDisabled)
  })

  it('waits for the one under way, and says how far that is', () => {
    place = drawn()
    change(() => {
      const now = status.value
      if (now === null) throw new Error('there is no status')
      const manualRefresh = {
        ...now.summary.manualRefresh,
        status: 'running',
        scope: 'default',
        startedAt: new Date(fromNow(0)).toISOString(),
        queued: 5,
        done: 2,
      } as const
      status.value = { ...now, summary: { ...now.summary, manualRefresh } }
    })

    expect([wordsOf(button()), button()?.attribute('aria-disabled')]).toEqual([
      'Refreshing 2 of 5',
      'true',
    ])
  })

  it.each([
    { accountKey: 'c3ae', isTold: true },
    { accountKey: 'other', isTold: false },
    { accountKey: null, isTold: false },
  ])('says what became of it, not of $accountKey: $isTold', ({ accountKey, isTold }) => {
    place = drawn()
    change(() => {
      outcome.value = { text: 'Refreshed 1 account', isGood: true, accountKey }
    })

    expect(wordsOf(place.querySelector('[role=status]'))).toBe(isTold ? 'Refreshed 1 account' : '')
  })
})
