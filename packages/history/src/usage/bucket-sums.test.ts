import { epochMs } from '@svc/core'
import { tiers, type UsageCounts } from '@svc/core/usage'
import { expect, it } from 'vitest'
import { type BucketPlace, createBucketSums } from './bucket-sums.ts'
import { groupings } from './tiers.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const members = {
  account: 1,
  model: 2,
  api: 3,
  upstream: 4,
  provider: 5,
  account_rate: 6,
  client_rate: 7,
  total_rate: 8,
}
const classes = { tokensIn: 4, tokensCached: 3, tokensWritten: 2, tokensOut: 1 }

function drained(sums: ReturnType<typeof createBucketSums>) {
  const put: (BucketPlace & UsageCounts)[] = []
  sums.drain(NOW, (place, sum) => void put.push({ ...place, ...sum }))
  return put
}

it('each request is summed once in every grouping and every width', () => {
  const sums = createBucketSums()
  sums.add(
    { at: epochMs(NOW - 1), tokens: 10, failed: true, classes, failure: 'failedLimit' },
    members,
  )
  sums.add({ at: epochMs(NOW - 2), tokens: 7, failed: false, classes: null }, members)

  const put = drained(sums)
  // Sums by rate have the two widest.
  expect(put).toHaveLength(tiers.length * Object.keys(groupings).length + 3 * 2)
  expect(put.filter(({ grouping }) => grouping > 5).map(({ tierSeconds }) => tierSeconds)).toEqual([
    7_200, 86_400, 7_200, 86_400, 7_200, 86_400,
  ])
  for (const { grouping, memberId, ...sum } of put) {
    expect(memberId).toBe([0, 1, 2, 3, 4, 5, 6, 7, 8][grouping])
    // The classes are those of the one request of which they are known.
    expect(sum).toMatchObject({ requests: 2, tokens: 17, failed: 1, ...classes, failedLimit: 1 })
  }
})

it('a sum stops growing where it would no longer be exact', () => {
  const sums = createBucketSums()
  for (const at of [1, 2])
    sums.add(
      { at: epochMs(NOW - at), tokens: Number.MAX_SAFE_INTEGER, failed: false, classes: null },
      members,
    )

  expect(new Set(drained(sums).map(({ tokens }) => tokens))).toEqual(
    new Set([Number.MAX_SAFE_INTEGER]),
  )
})

it('what was handed over is in no later sum', () => {
  const sums = createBucketSums()
  sums.add({ at: NOW, tokens: 1, failed: false, classes: null }, members)
  drained(sums)
  expect(drained(sums)).toEqual([])
})

it('buckets whose time has passed are left out', () => {
  const sums = createBucketSums()
  sums.add({ at: epochMs(NOW - 40 * 86_400_000), tokens: 1, failed: false, classes: null }, members)

  expect(new Set(drained(sums).map(({ tierSeconds }) => tierSeconds))).toEqual(new Set([86_400]))
})

it('members come in order, and buckets of several minutes add up where they are one', () => {
  const sums = createBucketSums()
  const request = { tokens: 1, failed: false, classes: null }
  for (const [minutes, account] of [
    [2, 9],
    [2, 1],
    [1, 9],
    [0, 5],
  ] as const)
    sums.add({ ...request, at: epochMs(NOW + minutes * 60_000) }, { ...members, account })

  const accounts = drained(sums).filter(({ grouping }) => grouping === groupings.account)
  const sumsOf = (seconds: number) =>
    accounts
      .filter(({ tierSeconds }) => tierSeconds === seconds)
      .map(({ memberId, requests }) => [memberId, requests])
  expect(sumsOf(60)).toEqual([
    [1, 1],
    [9, 1],
    [9, 1],
    [5, 1],
  ])
  for (const seconds of [900, 7_200, 86_400])
    expect(new Map(sumsOf(seconds) as [number, number][])).toEqual(
      new Map([
        [1, 1],
        [5, 1],
        [9, 2],
      ]),
    )
})
