import { emptySum } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import {
  measureColumns,
  measureNames,
  measuresOf,
  measuresOfRow,
  setMeasures,
  statedColumns,
  statedOf,
  statedValues,
} from './measures.ts'

describe('measures of usage', () => {
  it('are all that is added up, with a column each', () => {
    expect(measureNames.toSorted()).toEqual(Object.keys(emptySum()).toSorted())
    expect(new Set(measureColumns).size).toBe(measureNames.length)
    expect(measuresOfRow).toHaveLength(measureNames.length)
  })

  it('are read in the order of their columns', () => {
    expect(Object.values(measuresOf(measureNames.map((_, index) => index)))).toEqual(
      measureNames.map((_, index) => index),
    )
    expect(measuresOf([7])).toEqual({ ...emptySum(), requests: 7 })
  })

  it('are written in the order in which they are read', () => {
    const values = [0, ...measureNames.map((_, index) => index + 1)]
    const written = [0]
    setMeasures(written, 1, measuresOf(values.slice(1)))

    expect(written).toEqual(values)
  })
})

describe('what a record may leave out', () => {
  it.each([
    {
      classes: { tokensIn: 4, tokensCached: 5, tokensWritten: 0, tokensOut: 7 },
      latencyMs: 8,
      firstTokenMs: 9,
      failure: 'failedVendor' as const,
      tier: 'flex' as const,
    },
    { classes: null, latencyMs: 0, firstTokenMs: null, failure: null, tier: null },
  ])('comes back from its columns: $latencyMs', (stated) => {
    expect(statedValues(stated)).toHaveLength(statedColumns.length)
    expect(statedOf(statedValues(stated))).toEqual(stated)
  })

  it('has all classes or none', () => {
    expect(statedOf([4, 5, null, 7, 8]).classes).toBeNull()
    expect(statedOf([4, 5, 6]).classes).toBeNull()
  })

  it('has no class of a failure or tier that is none', () => {
    expect(statedOf([1, 1, 1, 1, 1, 1, 9, 3])).toMatchObject({ failure: null, tier: null })
  })
})
