import { describe, expect, it } from 'vitest'
import { afterSteps, changed, countedOn, MisfitError } from './apply-changes.ts'

describe('a document that is changed', () => {
  it('keeps every object that nothing changes', () => {
    const before = {
      rows: [
        { id: 'a', inner: { n: 1 } },
        { id: 'b', inner: { n: 1 } },
      ],
      other: {},
    }
    const after = changed(before, {
      rows: {
        from: [
          [1, 1],
          [0, 1],
        ],
        1: { id: ['c'] },
      },
    }) as typeof before

    expect(after).toEqual({
      rows: [
        { id: 'b', inner: { n: 1 } },
        { id: 'c', inner: { n: 1 } },
      ],
      other: {},
    })
    expect(after.rows[0]).toBe(before.rows[1])
    expect(after.rows[1]?.inner).toBe(before.rows[0]?.inner)
    expect(after.other).toBe(before.other)
    expect(before.rows[0]?.id).toBe('a')
  })

  it.each([
    { what: 'a row that it does not have', before: [{ id: 'a' }], change: { 1: { id: ['b'] } } },
    { what: 'a run beyond its end', before: [1, 2], change: { from: [[1, 2]] } },
    { what: 'members of a number', before: { a: 1 }, change: { a: { b: [1] } } },
    { what: 'members of something that is not there', before: {}, change: { a: { b: [1] } } },
  ])('refuses changes of $what', ({ before, change }) => {
    expect(() => changed(before, change as never)).toThrow(MisfitError)
  })
})

describe('seconds that count on', () => {
  const before = {
    windows: [
      { id: '5h', resetsInSeconds: 20 },
      { id: 'week', resetsInSeconds: null },
    ],
    lastSample: { at: '2026-11-20T12:00:00.000Z', ageSeconds: 4 },
    seconds: 7,
  }

  it('shrink towards a reset and grow with an age, never below 0', () => {
    expect(countedOn(before, 15)).toEqual({
      ...before,
      windows: [{ id: '5h', resetsInSeconds: 5 }, before.windows[1]],
      lastSample: { ...before.lastSample, ageSeconds: 19 },
    })
    expect(countedOn(before, 30)).toMatchObject({ windows: [{ resetsInSeconds: 0 }, {}] })
    expect(countedOn(before, -30)).toMatchObject({ lastSample: { ageSeconds: 0 } })
  })

  it('leave everything else the same object', () => {
    const after = countedOn(before, 15) as typeof before

    expect(after.windows[1]).toBe(before.windows[1])
    expect(countedOn(before, 0)).toBe(before)
    expect(countedOn(before.windows[1], 15)).toBe(before.windows[1])
  })

  it('come before what else a step changes, step by step', () => {
    const steps = [
      { laterSeconds: 15, change: { seconds: [8] } },
      { laterSeconds: 10, change: { windows: { 0: { resetsInSeconds: [18_000] } } } },
    ]

    expect(afterSteps(before, steps)).toMatchObject({
      seconds: 8,
      windows: [{ resetsInSeconds: 18_000 }, {}],
      lastSample: { ageSeconds: 29 },
    })
  })
})
