import { readStatusMessage } from '@svc/core/service'
import { anAccount, aQuotaSample, evidenceOf, NOW } from '@svc/core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { anEntry, showPool } from '../testing/page.ts'
import { isByPlan, query, sortBy, sorting } from './account-filters.ts'
import { foundSums, groupSums, sections, sumAccounts } from './account-sections.ts'
import { status } from './live-data.ts'
import { shownAccounts } from './pool.ts'

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
    expect(sums?.windows[0]?.usable).toBeCloseTo(1.4, 6)
    expect(groupSums.value.get('free')?.tracked).toBe(0)

    query.value = 'ana'
    expect(groupSums.value.get('plus')?.accounts).toBe(1)
    expect(groupSums.value.has('pro')).toBe(false)
  })
})

const rounded = (units: number) => Math.round(units * 100) / 100
const windowsFound = () =>
  foundSums.value.windows.map(({ id, usable, unknown }) => [id, rounded(usable), rounded(unknown)])

/** One account of every kind that the pool's capacity treats differently. */
function aMixedPool() {
  const [twin, read] = anEntry('spent')
  const selector = { ...twin.selector, authName: 'codex-twin.json', authIndex: 'index-twin' }
  const sampled = (name: string, shape: Parameters<typeof aQuotaSample>[0]) =>
    [anAccount(name), evidenceOf([aQuotaSample(shape)])] as const
  return [
    anEntry('good'),
    anEntry('five', { fiveHour: 0 }),
    [twin, read] as const,
    [{ ...twin, selector }, read] as const,
    sampled('spent-week', { fiveHour: 50, week: 0 }),
    sampled('capped', { fiveHour: 90, week: 3 }),
    sampled('only-week', { fiveHour: null, week: 40 }),
    anEntry('stale', { ageSeconds: 7_200 }),
    anEntry('pro', {}, { claimedPlan: 'pro' }),
    anEntry('free', {}, { claimedPlan: 'free' }),
    anEntry('off', {}, { operatorDisabled: true }),
    anEntry('dead', {}, { message: readStatusMessage('unauthorized', NOW) }),
    [anAccount('new'), null] as const,
  ]
}

describe('the sums of accounts', () => {
  it.each([{ multiplier: 6 }, { multiplier: 2 }, { multiplier: 'off' }] as const)(
    'of the whole pool are its capacity, with a multiplier of $multiplier',
    ({ multiplier }) => {
      showPool(aMixedPool(), { policy: { multiplier } })
      const sums = sumAccounts(shownAccounts.value)
      const windows = status.value?.tabs.pool.windows ?? []

      expect(windows).toHaveLength(2)
      for (const { id, usableUnits, heldUnits = 0, unknownUnits, trackedUnits } of windows) {
        const sum = sums.windows.find((each) => each.id === id)
        expect(sum?.usable).toBeCloseTo(usableUnits ?? -1, 3)
        expect(sum?.held).toBeCloseTo(heldUnits, 3)
        expect(sum?.unknown).toBeCloseTo(unknownUnits, 3)
        expect(sums.tracked).toBeCloseTo(trackedUnits, 3)
      }
      expect([sums.accounts, sums.routable]).toEqual([
        status.value?.tabs.pool.accounts.length,
        status.value?.summary.routableCount,
      ])
    },
  )

  it('are those of what is found', () => {
    showPool(aMixedPool())
    query.value = 'pro@'
    expect(windowsFound()).toEqual([
      ['5h', 16, 0],
      ['week', 12, 0],
    ])

    query.value = 'new@'
    expect(windowsFound()).toEqual([
      ['5h', 0, 1],
      ['week', 0, 1],
    ])
  })

  it('count a second file of an account, but not its quota', () => {
    showPool(aMixedPool())
    query.value = 'spent@'

    expect([foundSums.value.accounts, foundSums.value.tracked]).toEqual([2, 1])
  })

  it('say what the next minute that returns anything returns to these accounts', () => {
    showPool([
      anEntry('ana', { fiveHour: 0, resetsInSeconds: 600 }),
      anEntry('bob', { fiveHour: 0, resetsInSeconds: 1_200 }),
      anEntry('cyd', { fiveHour: 50, resetsInSeconds: 1_210 }),
      anEntry('dan', { fiveHour: 100, resetsInSeconds: 300 }),
    ])
    const next = () => foundSums.value.windows[0]?.next
    expect(next()).toEqual({ atMs: NOW + 600_000, units: 1 })

    query.value = 'b@'
    expect(next()).toEqual({ atMs: NOW + 1_200_000, units: 1 })

    query.value = 'd@'
    expect(next()).toEqual({ atMs: NOW + 1_200_000, units: 0.5 })

    query.value = 'dan@'
    expect(next()).toBe(null)
  })

  it('of nothing are nothing', () => {
    showPool([])

    expect(sumAccounts([])).toMatchObject({ accounts: 0, routable: 0, tracked: 0, tokens: null })
  })
})
