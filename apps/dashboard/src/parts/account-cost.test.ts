import type { AccountDetail } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { draw, holdAnswers, wordsOf } from '../testing/page.ts'
import { accountDetail, CostLine } from './account-cost.tsx'

let asked: string[] = []
beforeEach(() => {
  asked = holdAnswers()
})
afterEach(() => {
  accountDetail.value = null
})

const cost = { lastDay: { text: '$1.25' }, lastWeek: { text: '$9.00' }, lastMonth: null }
const detail = (accountKey: string, usage: object) =>
  ({ accountKey, usage }) as unknown as AccountDetail

it('says what the account cost, at whose prices', () => {
  const paidBack = { paidBack: 2.5, isAtLeast: true } as AccountDetail['paidBack']
  accountDetail.value = { ...detail('ann', { cost }), paidBack: paidBack ?? null }

  expect(wordsOf(draw(h(CostLine, { accountKey: 'ann' })))).toBe(
    'Cost at the list price of the API: $1.25 in 24 h, $9.00 in 7 days, not known in 30 days, at least 2.5 times what was paid',
  )
  expect(asked).toEqual(['/api/v1/accounts/ann'])
})

it.each([
  ['without prices', detail('ann', {})],
  ['while the details are those of another account', detail('bob', { cost })],
])('says nothing %s', (_, known) => {
  accountDetail.value = known

  expect(wordsOf(draw(h(CostLine, { accountKey: 'ann' })))).toBe('')
})
