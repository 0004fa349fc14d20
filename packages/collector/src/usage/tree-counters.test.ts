import { NOW } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { createTreeCounters } from './tree-counters.ts'

it('counters of trees only grow, and say when the proxy began again', () => {
  const counters = createTreeCounters()

  expect(counters.next({ success: 8, failed: 2, tokens: 1_000 }, NOW)).toEqual({
    success: 8,
    failed: 2,
    tokens: 1_000,
    restartedAt: null,
  })
  expect(counters.next({ success: 9, failed: 2, tokens: 1_200 }, NOW)).toEqual({
    success: 9,
    failed: 2,
    tokens: 1_200,
    restartedAt: null,
  })
  expect(counters.next({ success: 1, failed: 0, tokens: 50 }, NOW)).toEqual({
    success: 10,
    failed: 2,
    tokens: 1_250,
    restartedAt: NOW,
  })
  // A busy proxy may have more requests after its restart than before it, and fewer tokens.
  expect(counters.next({ success: 9, failed: 9, tokens: 40 }, NOW)).toMatchObject({
    success: 19,
    failed: 11,
    tokens: 1_290,
  })
})
