import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  balanceAtEmptyQueue,
  balanceAtList,
  noBalance,
  restartedBalance,
} from './request-balance.ts'

describe('the balance of requests', () => {
  it('is even while all that is counted is taken', () => {
    let balance = balanceAtList(noBalance, 100, 0)
    balance = balanceAtEmptyQueue(balance, 100, 40)
    expect(balance.missing).toBe(0)
    balance = balanceAtList(balance, 130, 40)
    balance = balanceAtEmptyQueue(balance, 130, 70)
    expect(balance.missing).toBe(0)
  })

  it('lacks what was counted and not taken, once', () => {
    let balance = balanceAtList(noBalance, 100, 0)
    balance = balanceAtEmptyQueue(balanceAtList(balance, 110, 0), 110, 4)
    expect(balance.missing).toBe(6)
    balance = balanceAtEmptyQueue(balanceAtList(balance, 110, 4), 110, 4)
    expect(balance.missing).toBe(6)
  })

  it('never lacks what came out of the queue besides what is counted', () => {
    const balance = balanceAtEmptyQueue(
      balanceAtList(balanceAtList(noBalance, 10, 0), 12, 50),
      12,
      50,
    )
    expect(balance.missing).toBe(0)
  })

  it('begins anew after a time without records, and forgets nothing', () => {
    const before = balanceAtEmptyQueue(balanceAtList(balanceAtList(noBalance, 0, 0), 9, 0), 9, 0)
    const after = balanceAtEmptyQueue(balanceAtList(restartedBalance(before), 500, 0), 503, 0)
    expect(after.missing).toBe(12)
  })

  it('with a rival that takes any share at any time: taken and missing never exceed what was counted, and are all of it once the queue is seen empty', () => {
    const event = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('requests' as const),
          count: fc.integer({ min: 1, max: 20 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('rival' as const),
          count: fc.integer({ min: 1, max: 30 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom('ask list' as const, 'list' as const),
          count: fc.constant(0),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('pop' as const),
          count: fc.integer({ min: 1, max: 500 }),
        }),
      },
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 120 }), (events) => {
        let counted = 0
        let waiting = 0
        let taken = 0
        let stolen = 0
        let takenBefore = 0
        let listed = 0
        let balance = balanceAtList(noBalance, 0, 0)
        const happen = ({ kind, count }: { readonly kind: string; readonly count: number }) => {
          if (kind === 'requests') {
            counted += count
            waiting += count
          } else if (kind === 'rival') {
            const share = Math.min(count, waiting)
            waiting -= share
            stolen += share
          } else if (kind === 'ask list') takenBefore = taken
          else if (kind === 'list') {
            listed = counted
            balance = balanceAtList(balance, listed, takenBefore)
            takenBefore = taken
          } else {
            const share = Math.min(count, waiting)
            waiting -= share
            taken += share
            if (share < count) balance = balanceAtEmptyQueue(balance, listed, taken)
          }
          expect(balance.missing).toBeLessThanOrEqual(stolen)
        }
        for (const each of events) happen(each)
        for (const kind of ['ask list', 'list']) happen({ kind, count: 0 })
        happen({ kind: 'pop', count: 1_000_000 })
        expect(taken + balance.missing).toBe(counted)
      }),
    )
  })
})
