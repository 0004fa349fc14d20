import type { RecentChange } from '@svc/core/pool'
import { fromNow, NOW } from '@svc/core/testing'
import { emptySum } from '@svc/core/usage'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { anEvaluatedAccount, aSnapshot } from '../testing/snapshots.ts'
import { accountDetailSchema, accountDetailView } from './account-detail.ts'
import { quotaCourseView } from './quota-course.ts'

const context = { text: createWording('UTC') }
const ANN = '00000000000000aa'
const added = (accountKey: string): RecentChange => ({
  at: fromNow(-420),
  tone: 'good',
  detail: { code: 'account_added', title: 'some@example.com', accountKey },
})
const selectorOf = (accountKey: string, authName: string) => ({
  selector: { accountKey, authName, authIndex: 'c0ffee09a1c2d3e4' },
})

/** Two files of one account, of which the second names the end of its subscription, and another account. */
function aPool() {
  const second = anEvaluatedAccount('ann', selectorOf(ANN, 'ann-again.json'))
  const subscribed = { ...second.account, subscribedUntil: fromNow(3 * 86_400) }
  return aSnapshot(
    [
      anEvaluatedAccount('ann', selectorOf(ANN, 'ann.json')),
      anEvaluatedAccount('bob', selectorOf('00000000000000bb', 'bob.json')),
      { ...second, account: subscribed },
    ],
    { recentChanges: [added('00000000000000bb'), added(ANN)] },
  )
}

it('has every file and change of the account, and of no other', () => {
  const cost = { units: 12_500_000_000_000_000n, unpricedTokens: 4, assumedTokens: 0 }
  const lastDay = { ...emptySum(), tokens: 9, cost }
  const usage = { since: null, lastDay, lastWeek: emptySum(), lastMonth: null }
  const paidBack = { listUsd30d: 60, subscriptionUsd30d: 20, paidBack: 3, isAtLeast: true }
  const view = accountDetailView(aPool(), { accountKey: ANN, usage, paidBack }, context)

  const course = { accountKey: ANN, range: '24h' } as const
  const quota = quotaCourseView('no_store', course, { now: NOW, words: context.text.words })
  expect(v.parse(accountDetailSchema, { ...view, quota })).toEqual({ ...view, quota })
  expect(view).toMatchObject({
    contractVersion: '1.1',
    sampledAt: '2026-11-20T11:59:56.000Z',
    accountKey: ANN,
    paidUntil: '2026-11-23T12:00:00.000Z',
    subscription: { state: 'ends_soon' },
    usage: {
      available: true,
      reason: null,
      since: null,
      lastDay: { requests: 0, tokens: 9, failed: 0 },
      lastWeek: { requests: 0, tokens: 0, failed: 0 },
      cost: { lastDay: { text: '$1.25', unpricedTokens: 4 }, lastMonth: null },
    },
    paidBack,
  })
  expect(view.items.map(({ selector }) => selector.authName)).toEqual([
    'ann.json',
    'ann-again.json',
  ])
  expect(view.recentChanges.map(({ accountKeys }) => accountKeys)).toEqual([[ANN]])
})

it('has no item of an account that is only recorded, and says why its usage is missing', () => {
  const asked = { accountKey: '00000000000000cc', usage: 'no_store', paidBack: null } as const

  expect(accountDetailView(aPool(), asked, context)).toMatchObject({
    items: [],
    recentChanges: [],
    usage: { available: false, reason: 'no_store', since: null, lastDay: null, lastWeek: null },
  })
})
