import { beforeEach, describe, expect, it } from 'vitest'
import { anEntry, showPool } from '../testing/page.ts'
import { isByPlan, query, sorting } from './account-filters.ts'
import {
  clearPicks,
  endStretch,
  followPool,
  pickedAccounts,
  pickedKeys,
  pickFound,
  pickUpTo,
  togglePick,
  togglePicks,
} from './account-picks.ts'
import { status } from './live-data.ts'

const names = ['ana', 'bob', 'cyd', 'dan', 'eve']
const pool = names.map((name, index) => anEntry(name, { fiveHour: 90 - index * 10 }))
const key = (name: string) => `index-${name}`
const picked = () => pickedAccounts.value.accounts.map(({ title }) => title.split('@')[0])

beforeEach(() => showPool(pool))

describe('what is picked', () => {
  it('is picked one by one, and left again', () => {
    togglePick(key('dan'))
    togglePick(key('bob'))
    expect(picked()).toEqual(['bob', 'dan'])

    togglePick(key('bob'))
    expect(picked()).toEqual(['dan'])
  })

  it.each([
    { from: 'bob', to: 'dan', stretch: ['bob', 'cyd', 'dan'] },
    { from: 'dan', to: 'bob', stretch: ['bob', 'cyd', 'dan'] },
    { from: 'cyd', to: 'cyd', stretch: ['cyd'] },
  ])('reaches from $from to $to, whichever comes first', ({ from, to, stretch }) => {
    togglePick(key(from))
    pickUpTo(key(to))

    expect(picked()).toEqual(stretch)
  })

  it('shrinks with its stretch, but not by what was picked before', () => {
    togglePick(key('eve'))
    togglePick(key('ana'))
    pickUpTo(key('cyd'))
    expect(picked()).toEqual(['ana', 'bob', 'cyd', 'eve'])

    pickUpTo(key('bob'))
    expect(picked()).toEqual(['ana', 'bob', 'eve'])
  })

  it('begins a new stretch where it is asked for once the last one has ended', () => {
    togglePick(key('ana'))
    endStretch()
    pickUpTo(key('dan'), key('cyd'))

    expect(picked()).toEqual(['ana', 'cyd', 'dan'])
  })

  it('begins a new stretch where a filter hides the row of the last one', () => {
    togglePick(key('ana'))
    query.value = 'd@'
    pickUpTo(key('cyd'))

    expect(picked()).toEqual(['cyd', 'ana'])
  })

  it('follows the rows as they are shown: sorted, or by plan', () => {
    sorting.value = { column: 'account', isDescending: true }
    togglePick(key('eve'))
    pickUpTo(key('cyd'))
    expect(picked()).toEqual(['eve', 'dan', 'cyd'])

    clearPicks()
    sorting.value = { column: 'rank', isDescending: false }
    showPool([
      ...pool,
      anEntry('pat', { fiveHour: 85 }, { claimedPlan: 'pro' }),
      anEntry('pia', { fiveHour: 75 }, { claimedPlan: 'pro' }),
    ])
    isByPlan.value = true
    togglePick(key('eve'))
    pickUpTo(key('pat'))
    expect(picked()).toEqual(['eve', 'pat'])
  })

  it('is everything that is found, besides what was picked before', () => {
    togglePick(key('ana'))
    query.value = 'd@'
    pickFound()

    expect(picked()).toEqual(['cyd', 'ana'])
    expect(pickedAccounts.value.hidden).toBe(1)
  })

  it('is all of a group, or none of it', () => {
    togglePick(key('ana'))
    togglePicks([key('ana'), key('bob')])
    expect(picked()).toEqual(['ana', 'bob'])

    togglePicks([key('ana'), key('bob')])
    expect(picked()).toEqual([])
  })

  it('stays when the pool is read again or sorted in another way', () => {
    togglePick(key('dan'))
    showPool(pool.toReversed())
    sorting.value = { column: 'fiveHour', isDescending: false }

    expect(picked()).toEqual(['dan'])
  })
})

describe('an account that leaves the pool', () => {
  it('is picked no longer, also once it is back', () => {
    const stop = followPool()
    togglePicks([key('ana'), key('dan')])
    showPool(pool.slice(0, 2))
    expect(picked()).toEqual(['ana'])

    showPool(pool)
    expect(picked()).toEqual(['ana'])
    stop()
  })

  it('is none of those that an unavailable proxy does not list', () => {
    const stop = followPool()
    togglePick(key('ana'))
    const answer = status.value
    if (answer === null) throw new Error('the pool is not shown')
    const { tabs } = answer
    status.value = {
      ...answer,
      available: false,
      tabs: { ...tabs, pool: { ...tabs.pool, accounts: [] } },
    }
    expect(pickedKeys.value.size).toBe(1)

    status.value = answer
    expect(picked()).toEqual(['ana'])
    stop()
  })
})
