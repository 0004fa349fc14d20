import { expect, it } from 'vitest'
import { columnOf } from './column-list.ts'

it.each([
  { values: [], column: '{}' },
  { values: [1, -2, 0], column: '{1,-2,0}' },
  { values: [2n ** 63n - 1n, -(2n ** 63n)], column: '{9223372036854775807,-9223372036854775808}' },
  { values: [true, false], column: '{true,false}' },
  { values: [null, 0, null], column: '{NULL,0,NULL}' },
])('$values are the array $column', ({ values, column }) => {
  expect(columnOf<number | bigint | boolean | null>(values, (value) => value)).toBe(column)
})
