import { emptySum } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { classColumns, classesOf, measureColumns, measuresOf } from './measures.ts'

describe('measures of usage', () => {
  it('have a column of their own each, those of a chart first and the classes last', () => {
    expect(measureColumns.slice(0, 3).toSorted()).toEqual(Object.keys(emptySum()).toSorted())
    expect(measureColumns.slice(-classColumns.length)).toEqual(classColumns)
    expect(new Set(measureColumns).size).toBe(measureColumns.length)
  })

  it('are read in the order of their columns', () => {
    expect(measuresOf([1, 2, 3, 4, 5, 6, 7])).toEqual({
      requests: 1,
      tokens: 2,
      failed: 3,
      tokensIn: 4,
      tokensCached: 5,
      tokensWritten: 6,
      tokensOut: 7,
    })
  })

  it('have all classes or none', () => {
    expect(classesOf([4, 5, 0, 7])).toEqual({
      tokensIn: 4,
      tokensCached: 5,
      tokensWritten: 0,
      tokensOut: 7,
    })
    expect(classesOf([4, 5, null, 7])).toBeNull()
    expect(classesOf([4, 5, 6])).toBeNull()
  })
})
