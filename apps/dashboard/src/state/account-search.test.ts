import '../testing/browser.ts'
import { anAccount } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anEntry, showPool } from '../testing/page.ts'
import { filter, filterCounts, filterIds, found, query, sorting } from './account-search.ts'
import { privacy } from './display-state.ts'
import { hideNames } from './hidden-names.ts'

afterEach(() => {
  query.value = ''
  filter.value = 'all'
  sorting.value = { column: 'rank', isDescending: false }
})

const namesFound = () => found.value.map(({ account: { title } }) => title.split('@')[0])

beforeEach(() => {
  showPool([
    anEntry('cyd', { fiveHour: 20 }),
    anEntry('ana', { fiveHour: 90, resetsInSeconds: 1_800 }),
    anEntry('bob', { fiveHour: 0 }),
    anEntry('dan', { ageSeconds: 7_200 }),
    anEntry('eve', {}, { operatorDisabled: true }),
  ])
})

describe('what is found', () => {
  it('are all accounts in the order of the ranking, the blocked ones without a rank', () => {
    const ranks = found.value.map(({ rank }) => rank)

    expect(ranks).toEqual([1, 2, 3, null, null])
    expect(namesFound()[0]).toBe('ana')
  })

  it.each([
    { id: 'all', names: ['ana', 'bob', 'cyd', 'dan', 'eve'] },
    { id: 'routable', names: ['ana', 'cyd', 'dan'] },
    { id: 'blocked', names: ['bob', 'eve'] },
    { id: 'reclaim', names: ['ana'] },
    { id: 'disabled', names: ['eve'] },
    { id: 'stale', names: ['dan'] },
  ] as const)('by "$id" are $names, and as many are announced', ({ id, names }) => {
    filter.value = id

    expect(namesFound().sort()).toEqual(names)
    expect(filterCounts.value[id]).toBe(names.length)
  })

  it('has a count for every filter', () => {
    expect(Object.keys(filterCounts.value)).toEqual(filterIds)
  })

  it.each([
    { words: '  BOB ', names: ['bob'] },
    { words: 'plus', names: ['ana', 'bob', 'cyd', 'dan', 'eve'] },
    { words: 'codex-cyd', names: ['cyd'] },
    { words: 'disabled', names: ['eve'] },
    { words: 'nobody', names: [] },
  ])('by the words "$words" are $names', ({ words, names }) => {
    query.value = words

    expect(namesFound().sort()).toEqual(names)
  })

  it('by the name that is shown in private', () => {
    privacy.value = true
    query.value = hideNames('bob@example.com')
    const names = namesFound()
    privacy.value = false

    expect(names).toEqual(['bob'])
  })

  it('keeps the rank of the whole pool under a filter', () => {
    query.value = 'cyd'

    expect(found.value.map(({ rank }) => rank)).toEqual([3])
  })

  it.each([
    { column: 'account', isDescending: false, names: ['ana', 'bob', 'cyd', 'dan', 'eve'] },
    { column: 'account', isDescending: true, names: ['eve', 'dan', 'cyd', 'bob', 'ana'] },
    { column: 'fiveHour', isDescending: true, names: ['ana', 'dan', 'eve', 'cyd', 'bob'] },
  ] as const)('is sorted by $column, descending: $isDescending', (wanted) => {
    sorting.value = wanted

    expect(namesFound()).toEqual(wanted.names)
  })

  it('turns the ranking round', () => {
    const upwards = namesFound()
    sorting.value = { column: 'rank', isDescending: true }

    expect(namesFound()).toEqual([...upwards].reverse())
  })

  it('sorts an account without a reading as the oldest', () => {
    showPool([[anAccount('new'), null], anEntry('old', { ageSeconds: 3_600 }), anEntry('now')])
    sorting.value = { column: 'sample', isDescending: true }

    expect(namesFound()).toEqual(['new', 'old', 'now'])
  })
})
