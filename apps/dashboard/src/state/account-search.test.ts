import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { anEntry, showPool } from '../testing/page.ts'
import {
  blockedBy,
  filter,
  mark,
  paid,
  planFilter,
  query,
  sortBy,
  sorting,
} from './account-filters.ts'
import {
  blockedCauses,
  filterCounts,
  found,
  marks,
  paidChoices,
  plans,
  setFilterCount,
} from './account-search.ts'
import { privacy } from './display-state.ts'
import { hideNames } from './hidden-names.ts'

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
    { id: 'needs', names: [] },
  ] as const)('by "$id" are $names, and as many are announced', ({ id, names }) => {
    filter.value = id

    expect(namesFound().sort()).toEqual(names)
    expect(filterCounts.value[id]).toBe(names.length)
  })

  it.each([
    { words: '  BOB ', names: ['bob'] },
    { words: 'plus', names: ['ana', 'bob', 'cyd', 'dan', 'eve'] },
    { words: 'codex-cyd', names: [] },
    { words: 'used up', names: ['bob'] },
    { words: 'until', names: ['bob'] },
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

  it.each([
    { column: 'fiveHour', names: ['ana', 'dan', 'eve', 'cyd', 'bob'] },
    { column: 'account', names: ['ana', 'bob', 'cyd', 'dan', 'eve'] },
    { column: 'score', names: ['ana', 'cyd', 'dan', 'bob', 'eve'] },
    { column: 'sample', names: ['dan', 'ana', 'cyd', 'bob', 'eve'] },
  ] as const)('has what is wanted of $column first at the first press', ({ column, names }) => {
    sortBy(column)
    expect(namesFound().slice(0, 1)).toEqual(names.slice(0, 1))

    const first = sorting.value.isDescending
    sortBy(column)
    expect(sorting.value.isDescending).toBe(!first)
  })

  it('has who comes back next first, and who never does last, in both directions', () => {
    showPool([
      anEntry('late', { resetsInSeconds: 9_000 }),
      [anAccount('never'), null],
      anEntry('soon', { resetsInSeconds: 600 }),
    ])
    sortBy('fiveHourReset')
    expect(namesFound()).toEqual(['soon', 'late', 'never'])

    sortBy('fiveHourReset')
    expect(namesFound()).toEqual(['late', 'soon', 'never'])
  })
})

describe('what the table is narrowed to', () => {
  it('is a plan, by its code', () => {
    expect(plans.value).toEqual([{ id: 'plus', text: 'Plus', count: 5 }])
    planFilter.value = 'plus'
    expect(found.value).toHaveLength(5)

    planFilter.value = 'pro'
    expect(found.value).toEqual([])
  })

  it('is what blocks an account first, worded as in its details', () => {
    expect(blockedCauses.value.map(({ id, count }) => `${id} ${count}`).sort()).toEqual([
      'operator_disabled 1',
      'quota_exhausted_5h 1',
    ])
    blockedBy.value = 'quota_exhausted_5h'
    expect(namesFound()).toEqual(['bob'])
    expect(blockedCauses.value.map(({ text }) => text)).toContain('5h quota used up')
  })

  it('is any of the things that block an account', () => {
    const both = evidenceOf([aQuotaSample({ fiveHour: 0, week: 0 })])
    showPool([anEntry('ana', { fiveHour: 0 }), [anAccount('bob'), both], anEntry('cyd')])
    const found = ['quota_exhausted_5h', 'quota_exhausted_week'].map((slug) => {
      blockedBy.value = slug
      return namesFound().sort()
    })

    expect(found).toEqual([['ana', 'bob'], ['bob']])
    expect(blockedCauses.value.map(({ count }) => count)).toEqual([2, 1])
  })

  it('is how accounts are marked, each mark with its count', () => {
    showPool([
      anEntry('ana'),
      anEntry('bob', { fiveHour: 0 }),
      anEntry('cyd', {}, { operatorDisabled: true }),
    ])
    expect(marks.value.map(({ text, count }) => `${text} ${count}`).sort()).toEqual([
      'Disabled 1',
      'Good 1',
      'Waiting 1',
    ])
    mark.value = 'wait'

    expect(namesFound()).toEqual(['bob'])
    expect(setFilterCount.value).toBe(1)
  })

  it('finds the accounts that need the operator, as Health lists them', () => {
    showPool([anEntry('ana'), anEntry('bob', {}, { unavailable: true })])
    filter.value = 'needs'

    expect(namesFound()).toEqual(['bob'])
  })

  it('is how what is paid for stands, the urgent first; one that goes on past its end is unknown', () => {
    const paidFor = (name: string, days: number, ageSeconds = 0) =>
      anEntry(name, { ageSeconds }, { subscribedUntil: fromNow(days * 86_400) })
    showPool([
      paidFor('ana', 30),
      paidFor('bob', 6),
      paidFor('cyd', 0.5),
      paidFor('dan', -1, 2 * 86_400),
      paidFor('eve', -1),
      anEntry('fay'),
    ])
    const byState = paidChoices.value.map(({ id, text, count }) => {
      paid.value = id
      return [text, count, namesFound().sort()]
    })

    expect(byState).toEqual([
      ['Ends within 7 days', 2, ['bob', 'cyd']],
      ['Ended', 1, ['dan']],
      ['Running', 1, ['ana']],
      ['End unknown', 2, ['eve', 'fay']],
    ])
    expect(setFilterCount.value).toBe(1)
  })

  it.each([
    { isDescending: false, order: ['dan', 'cyd', 'bob', 'ana', 'eve', 'fay'] },
    { isDescending: true, order: ['ana', 'bob', 'cyd', 'dan', 'eve', 'fay'] },
  ])(
    'is in the order of ends of subscriptions, unknown last: descending $isDescending',
    ({ isDescending, order }) => {
      const paidFor = (name: string, days: number, ageSeconds = 0) =>
        anEntry(name, { ageSeconds }, { subscribedUntil: fromNow(days * 86_400) })
      showPool([
        anEntry('fay'),
        // The subscription has continued past its end, until an unknown time.
        paidFor('eve', -1),
        paidFor('ana', 30),
        paidFor('dan', -1, 2 * 86_400),
        paidFor('cyd', 0.5),
        paidFor('bob', 6),
      ])
      sorting.value = { column: 'paidUntil', isDescending }

      expect(namesFound().slice(0, 4)).toEqual(order.slice(0, 4))
      expect(namesFound().slice(4).sort()).toEqual(order.slice(4))
    },
  )

  it('is in the order in which banked resets lapse, accounts without a known one last', () => {
    const holding = (name: string, days: readonly number[]) => {
      const expiresAt = days.map((after) => fromNow(after * 86_400))
      return anEntry(name, {}, {}, { bankedResets: { count: 1, sampledAt: NOW, expiresAt } })
    }
    showPool([anEntry('ana'), holding('bob', []), holding('cyd', [9, 12]), holding('dan', [3])])
    sorting.value = { column: 'bankedReset', isDescending: false }

    expect(namesFound().slice(0, 2)).toEqual(['dan', 'cyd'])
  })
})
