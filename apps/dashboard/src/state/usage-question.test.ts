import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { showPool } from '../testing/page.ts'
import { addressQuery, takeQuery } from './address-parameters.ts'
import { localText, timeMs, timeOfLocal } from './chosen-time.ts'
import { STATS_DEFAULTS, statsControls } from './display-state.ts'
import { filterNames, question, setFilter, setSpan } from './usage-question.ts'

const clear = () => {
  for (const name of filterNames) setFilter(name, [])
  setSpan('', '')
  statsControls.value = STATS_DEFAULTS
}
afterEach(() => {
  clear()
})

const ids = fc.array(
  fc
    .string({ minLength: 1 })
    .map((id) => id.trim())
    .filter(Boolean),
  {
    maxLength: 3,
  },
)

describe('the question in the address', () => {
  it('is the same question when the address is opened elsewhere', () => {
    fc.assert(
      fc.property(
        ids,
        ids,
        fc.subarray(['auth', 'limit', 'vendor', 'other']),
        fc.constantFrom('', '2026-10-14', '2026-10-14T08:00:00Z'),
        fc.constantFrom('client', 'client,model', 'model,account', 'total'),
        (client, model, status, from, group) => {
          clear()
          setFilter('client', client)
          setFilter('model', model)
          setFilter('status', status)
          setSpan(from, '')
          statsControls.value = { ...STATS_DEFAULTS, group }
          const [asked, address] = [question.value, addressQuery('stats')]
          clear()
          takeQuery('stats', address)

          expect([question.value, statsControls.value.group]).toEqual([asked, group])
          expect(addressQuery('stats')).toBe(address)
        },
      ),
    )
  })

  it('is written as in the API', () => {
    const address =
      '?range=30d&group=client,model&client=team-a&status=limit&from=2026-10-14&to=2026-10-20T08:00:00Z'
    takeQuery('stats', address)

    expect(addressQuery('stats')).toBe(address)
    expect(question.value.filter).toEqual({ client: ['team-a'], status: ['limit'] })
  })

  it.each([
    '?group=client,client',
    '?group=client,api',
    '?group=client,model,account',
    '?result=maybe',
    '?result=ok,failed',
    '?status=limit,teapot',
    '?from=yesterday',
    '?from=2026-02-30',
    '?from=2026-10-14T08:00:00',
    '?to=2026-10-14',
    '?range=custom',
  ])('is the default where %s means nothing', (address) => {
    takeQuery('stats', address)

    expect(addressQuery('stats')).toBe('')
  })
})

it('takes a time of the input on the clock of the display timezone', () => {
  showPool([])
  fc.assert(
    fc.property(fc.integer({ min: 16_000_000, max: 35_000_000 }), (minutes) => {
      const local = localText(new Date(minutes * 60_000).toISOString())
      const time = timeOfLocal(local)

      expect(localText(time ?? '')).toBe(local)
      expect(timeMs(time ?? '')).toBe(minutes * 60_000)
    }),
  )
  expect(timeOfLocal('2026-10-14T00:00')).toBe('2026-10-14')
  expect([timeOfLocal(''), timeOfLocal('0002-10-14T08:00')]).toEqual(['', undefined])
})
