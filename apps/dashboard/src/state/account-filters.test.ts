import { describe, expect, it } from 'vitest'
import { clearFilters } from './account-filters.ts'
import { addressQuery, takeQuery } from './address-parameters.ts'

describe('the address of the table', () => {
  it('says only the order and the groups once every filter is taken back', () => {
    takeQuery(
      'accounts',
      'q=a&f=blocked&plan=pro&status=bad&by=cooldown&paid=ended&s=load&group=plan',
    )
    clearFilters()

    expect(addressQuery('accounts')).toBe('?s=load&group=plan')
  })
})
