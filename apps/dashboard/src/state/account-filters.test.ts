import { describe, expect, it } from 'vitest'
import { clearFilters, filter, query, sorting } from './account-filters.ts'
import { addressQuery, takeQuery } from './address-parameters.ts'

describe('the address of the table', () => {
  it.each([
    { text: '' },
    { text: 'q=ana+b' },
    { text: 'f=blocked&s=week' },
    { text: 's=-week' },
    { text: 's=-rank' },
    { text: 's=paidUntil' },
    { text: 's=week&group=plan' },
    { text: 'plan=pro&status=wait&by=cooldown' },
    { text: 'q=ana&paid=soon' },
    { text: 'q=x&f=needs&plan=pro&by=quota_exhausted_week&s=weekReset' },
  ])('"$text" is read and written alike', ({ text }) => {
    takeQuery('accounts', text)

    expect(addressQuery('accounts')).toBe(text === '' ? '' : `?${text}`)
  })

  it.each([
    { text: 'f=nonsense' },
    { text: 's=nonsense' },
    { text: 's=rank' },
    { text: 'group=status' },
    { text: 'paid=nonsense' },
  ])('"$text" changes nothing', ({ text }) => {
    takeQuery('accounts', text)

    expect(addressQuery('accounts')).toBe('')
  })

  it('takes back what it does not name', () => {
    takeQuery('accounts', 'q=ana&f=stale')
    takeQuery('accounts', 's=load')

    expect([query.value, filter.value, sorting.value.column]).toEqual(['', 'all', 'load'])
  })

  it('says only the order and the groups once every filter is taken back', () => {
    takeQuery(
      'accounts',
      'q=a&f=blocked&plan=pro&status=bad&by=cooldown&paid=ended&s=load&group=plan',
    )
    clearFilters()

    expect(addressQuery('accounts')).toBe('?s=load&group=plan')
  })
})
