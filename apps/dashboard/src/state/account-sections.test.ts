import '../testing/browser.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anEntry, showPool } from '../testing/page.ts'
import { isByPlan, query, searchParameters, sortBy, sorting } from './account-filters.ts'
import { sections } from './account-sections.ts'
import { groupSums } from './account-sums.ts'

afterEach(() => {
  for (const { write } of searchParameters) write(null)
})

beforeEach(() => {
  showPool([
    anEntry('ana', { fiveHour: 90 }),
    anEntry('bob', { fiveHour: 0, resetsInSeconds: 600 }),
    anEntry('cyd', { fiveHour: 50 }),
    anEntry('dan', { fiveHour: 40 }, { claimedPlan: 'pro' }),
    anEntry('eve', {}, { claimedPlan: 'free' }),
    anEntry('fay', { fiveHour: 0 }, { claimedPlan: 'pro' }),
  ])
})

const shape = () =>
  sections.value.map(
    ({ id, head, rows }) =>
      `${id} ${head}: ${rows.map(({ account }) => account.title.split('@')[0]).join(' ')}`,
  )

describe('the sections of the table', () => {
  it('have the blocked accounts apart while the best come first', () => {
    expect(sections.value.map(({ id, head, rows }) => [id, head, rows.length])).toEqual([
      ['all', null, 4],
      ['blocked', 'blocked', 2],
    ])

    sorting.value = { column: 'rank', isDescending: true }
    expect(sections.value.map(({ head }) => head)).toEqual([null])
  })

  it('are none where nothing is found', () => {
    query.value = 'nobody'
    expect(sections.value).toEqual([])

    isByPlan.value = true
    expect(sections.value).toEqual([])
  })

  it('are the plans, those of most accounts first, each in the order that is asked for', () => {
    isByPlan.value = true
    expect(shape()).toEqual(['plus plan: ana cyd bob', 'pro plan: dan fay', 'free plan: eve'])

    sorting.value = { column: 'account', isDescending: true }
    expect(shape()).toEqual(['plus plan: cyd bob ana', 'pro plan: fay dan', 'free plan: eve'])
  })

  it('keep their order while a search leaves fewer of the first plan', () => {
    isByPlan.value = true
    query.value = 'an'

    expect(shape()).toEqual(['plus plan: ana', 'pro plan: dan'])
  })

  it('are in the order of the plans while sorted by them', () => {
    isByPlan.value = true
    sortBy('plan')
    const upwards = sections.value.map(({ id }) => id)
    sortBy('plan')

    expect(upwards).toEqual(['free', 'plus', 'pro'])
    expect(sections.value.map(({ id }) => id)).toEqual(['pro', 'plus', 'free'])
  })

  it('have the sums of what is found of each plan', () => {
    isByPlan.value = true
    const sums = groupSums.value.get('plus')
    expect([sums?.accounts, sums?.routable, sums?.tracked]).toEqual([3, 2, 3])
    expect(sums?.windows[0]).toMatchObject({ id: '5h', unknown: 0, next: { units: 1 } })
    expect(sums?.windows[0]?.left).toBeCloseTo(1.4, 6)
    expect(groupSums.value.get('free')?.tracked).toBe(0)

    query.value = 'ana'
    expect(groupSums.value.get('plus')?.accounts).toBe(1)
    expect(groupSums.value.has('pro')).toBe(false)
  })
})
