import { epochMs } from '@svc/core'
import { expect, it } from 'vitest'
import { rateGroupings } from './tiers.ts'
import { createWaitingSums, QUARTER_MS } from './waiting-sums.ts'

const FROM = Date.UTC(2026, 10, 20, 12)
const at = (quarters: number, cell = 1) => ({
  detail: { at: epochMs(FROM + quarters * QUARTER_MS), tokens: 5, failed: false, classes: null },
  members: { account_rate: cell, client_rate: 2, total_rate: 3 },
})

/** Requests of the account's cell that are taken, by cell. */
function requestsOf(taken: ReturnType<ReturnType<typeof createWaitingSums>['take']>) {
  const requests: number[] = []
  for (const sums of taken?.sums ?? [])
    sums.drain(epochMs(FROM), ({ grouping, tierSeconds, memberId }, sum) => {
      if (grouping === rateGroupings.account_rate && tierSeconds === 7_200)
        requests[memberId] = (requests[memberId] ?? 0) + sum.requests
    })
  return requests
}

it('the requests of whole quarters are taken, once; later ones wait on', () => {
  const waiting = createWaitingSums()
  waiting.add([at(0), at(0.5, 4), at(1)], FROM)
  waiting.add([at(0.9), at(2.1)], FROM)

  const until = FROM + 2 * QUARTER_MS
  const first = waiting.take(FROM, until)
  expect(first?.requests).toBe(4)
  expect(requestsOf(first)).toEqual([undefined, 3, undefined, undefined, 1])
  waiting.add([at(2)], until)
  const second = waiting.take(until, until + QUARTER_MS)
  expect(second?.requests).toBe(2)
  expect(requestsOf(second)).toEqual([undefined, 2])
})

it('a request before the mark does not wait: it is in the sums of the store', () => {
  const waiting = createWaitingSums()
  waiting.add([at(-0.1), at(0)], FROM)
  expect(waiting.take(FROM, FROM + QUARTER_MS)?.requests).toBe(1)
})

it('nothing is taken from a mark that others have moved', () => {
  const waiting = createWaitingSums()
  waiting.add([at(1)], FROM)
  expect(waiting.take(FROM + 1, FROM + 2 * QUARTER_MS)).toBeNull()
  waiting.add([at(3)], FROM)
  waiting.add([at(3)], FROM + 1)
  expect(waiting.take(FROM + 1, FROM + 4 * QUARTER_MS)?.requests).toBe(1)
})

it('too many sums are forgotten, so that fewer requests are taken than were stored', () => {
  const waiting = createWaitingSums()
  waiting.add(
    Array.from({ length: 100_001 }, (_, cell) => at(0, cell)),
    FROM,
  )
  waiting.add([at(0)], FROM)
  expect(waiting.take(FROM, FROM + QUARTER_MS)?.requests).toBe(1)
})
