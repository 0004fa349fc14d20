import { afterEach, expect, it } from 'vitest'
import { change } from '../testing/page.ts'
import { aMixedPool, clearProvider, showProvider } from '../testing/providers.ts'
import { blockedBy, clearFilters, filter, planFilter } from './account-filters.ts'
import './account-search.ts'
import { addressQuery, takeQuery } from './address-parameters.ts'
import { filterNames, question, setFilter } from './usage-question.ts'
import { labelOf } from './usage-series.ts'

afterEach(() => {
  change(() => {
    clearFilters()
    for (const name of filterNames) setFilter(name, [])
  })
  clearProvider()
})

it('a filter of accounts goes with a switch to a provider that has none for it', () => {
  showProvider(aMixedPool())
  change(() => {
    planFilter.value = 'plus'
    blockedBy.value = 'seven_day_empty'
    filter.value = 'blocked'
  })
  showProvider(aMixedPool(), 'all')
  expect(planFilter.value).toBe('plus')

  showProvider(aMixedPool(), 'claude')
  expect([planFilter.value, filter.value]).toEqual([null, 'blocked'])
})

it('a filter of an address stays where it never had an account', () => {
  showProvider(aMixedPool())
  change(() => takeQuery('accounts', '?plan=max&provider=claude'))
  showProvider(aMixedPool(), 'claude')

  expect(addressQuery('accounts')).toBe('?plan=max&provider=claude')
})

it('an account goes out of the question of Stats with a switch to a provider that is not its own', () => {
  showProvider(aMixedPool())
  change(() => {
    setFilter('account', ['key-ana', 'key-cyd', 'key-gone'])
    setFilter('client', ['team-a'])
  })
  expect(labelOf('account', 'key-ana')).toBe('ana@example.com')

  showProvider(aMixedPool(), 'claude')
  expect(question.value.filter).toEqual({
    account: ['key-cyd', 'key-gone'],
    client: ['team-a'],
  })
  showProvider(aMixedPool(), 'all')
  showProvider(aMixedPool())
  expect(question.value.filter.account).toEqual(['key-gone'])
})
