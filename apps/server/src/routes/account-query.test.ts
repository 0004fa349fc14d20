import { expect, it } from 'vitest'
import { courseQueryOf } from './account-query.ts'

const KEY = '0011223344556677'

it.each([
  { query: '', range: '24h' },
  { query: 'range=24h', range: '24h' },
  { query: 'range=7d', range: '7d' },
  { query: 'range=30d&color=red', range: '30d' },
])('?$query asks for $range', ({ query, range }) => {
  expect(courseQueryOf(KEY, new URLSearchParams(query))).toEqual({ accountKey: KEY, range })
})

it.each(['1h', 'all', '24H', '24h ', '', 'toString', '24h,7d'])(
  'there is no range "%s"',
  (range) => {
    expect(courseQueryOf(KEY, new URLSearchParams({ range }))).toBeNull()
  },
)
