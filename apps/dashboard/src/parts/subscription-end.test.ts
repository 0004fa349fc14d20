import '../testing/browser.ts'
import { fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, expect, it } from 'vitest'
import { accountCalled, anEntry, clearPage, draw, showPool, wordsOf } from '../testing/page.ts'
import { SubscriptionEnd } from './subscription-end.tsx'

const DAY = 86_400

afterEach(clearPage)

function wordsFor(paidDays: number | null, fiveHour: { readonly ageSeconds?: number } = {}) {
  const subscribedUntil = paidDays === null ? null : fromNow(paidDays * DAY)
  showPool([anEntry('ana', fiveHour, { subscribedUntil, modifiedAt: fromNow(-3 * DAY) })])
  return wordsOf(draw(h(SubscriptionEnd, { account: accountCalled('ana') })))
}

it.each([
  { why: 'for weeks', days: 30, words: 'Ends on 20 Dec 20:00, in 30d' },
  { why: 'for days', days: 6, words: 'Ends on Thu 20:00, in 6d' },
  { why: 'for hours', days: 0.25, words: 'Ends at 02:00, in 6h 00min' },
])('the end of what is paid for is said $why', ({ days, words }) => {
  expect(wordsFor(days)).toContain(words)
})

it('says how old the login is that names an end that is near or past', () => {
  expect(wordsFor(2)).toContain('So its login of 3d 0h ago says')
  expect(wordsFor(30)).toContain('So its login says')
})

it('has ended where nothing was read since, and goes on where something was', () => {
  expect(wordsFor(-1, { ageSeconds: 2 * DAY })).toContain('Ended on Thu 20:00, 1d 0h ago')
  expect(wordsFor(-1)).toContain('Ended on Thu 20:00 and goes on; its new end is unknown')
})

it('is not said of an account whose login does not say it', () => {
  expect(wordsFor(null)).toBe('')
})
