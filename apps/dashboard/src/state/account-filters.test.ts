import '../testing/browser.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { clearFilters, filter, query, searchParameters, sorting } from './account-filters.ts'

/** Applies the parameters of an address. */
function parseSearch(parameters: URLSearchParams): void {
  for (const { name, write } of searchParameters) write(parameters.get(name))
}

/** The table's state as parameters of an address. */
function formatSearch(): URLSearchParams {
  return new URLSearchParams(
    searchParameters.flatMap(({ name, read }) => {
      const text = read()
      return text === null ? [] : [[name, text]]
    }),
  )
}

afterEach(() => parseSearch(new URLSearchParams()))

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
    parseSearch(new URLSearchParams(text))

    expect(formatSearch().toString()).toBe(text)
  })

  it.each([
    { text: 'f=nonsense' },
    { text: 's=nonsense' },
    { text: 's=rank' },
    { text: 'group=status' },
    { text: 'paid=nonsense' },
  ])('"$text" changes nothing', ({ text }) => {
    parseSearch(new URLSearchParams(text))

    expect(formatSearch().toString()).toBe('')
  })

  it('takes back what it does not name', () => {
    parseSearch(new URLSearchParams('q=ana&f=stale'))
    parseSearch(new URLSearchParams('s=load'))

    expect([query.value, filter.value, sorting.value.column]).toEqual(['', 'all', 'load'])
  })

  it('says only the order and the groups once every filter is taken back', () => {
    parseSearch(
      new URLSearchParams(
        'q=a&f=blocked&plan=pro&status=bad&by=cooldown&paid=ended&s=load&group=plan',
      ),
    )
    clearFilters()

    expect(formatSearch().toString()).toBe('s=load&group=plan')
  })
})
