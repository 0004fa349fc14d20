import { emptySum } from '@svc/core/usage'
import { expect, it } from 'vitest'
import { measureColumns } from './measure-columns.ts'

it('has a column of its own for every measure, those of a chart first', () => {
  expect(measureColumns.slice(0, 3).toSorted()).toEqual(Object.keys(emptySum()).toSorted())
  expect(new Set(measureColumns).size).toBe(measureColumns.length)
})
