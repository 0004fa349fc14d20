import { describe, expect, it } from 'vitest'
import { offBecause } from '../facts/source.ts'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  fromNow,
  NOW,
} from '../testing/builders.ts'

const read = evidenceOf([aQuotaSample()])
const failed = evidenceOf([], {
  probeFailure: { at: NOW, kind: 'failed', httpStatus: null, inARow: 1 },
})
interface Shape {
  readonly read: number
  readonly unread: number
  readonly failed?: number
  readonly disabled?: number
}
const entries = (shape: Shape) => [
  ...Array.from({ length: shape.read }, (_, index) => [anAccount(`r${index}`), read] as const),
  ...Array.from({ length: shape.failed ?? 0 }, (_, index) => {
    return [anAccount(`f${index}`), failed] as const
  }),
  ...Array.from({ length: shape.unread }, (_, index) => [anAccount(`u${index}`), null] as const),
  ...Array.from({ length: shape.disabled ?? 0 }, (_, index) => {
    return [anAccount(`d${index}`, { operatorDisabled: true }), null] as const
  }),
]
const policy = { probesPerMinute: 6 }
const roundOf = (shape: Shape) => aSnapshot(entries(shape), {}, policy).firstRound

describe('the first round', () => {
  it.each<{
    why: string
    shape: Shape
    round: { readonly read: number; readonly of: number; readonly seconds: number } | null
  }>([
    {
      why: 'begins with every account',
      shape: { read: 0, unread: 12 },
      round: { read: 0, of: 12, seconds: 120 },
    },
    {
      why: 'counts what is left at the pace of the queries',
      shape: { read: 7, unread: 3 },
      round: { read: 7, of: 10, seconds: 30 },
    },
    { why: 'is over when a fifth is unknown', shape: { read: 8, unread: 2 }, round: null },
    {
      why: 'is over when every account was asked',
      shape: { read: 1, unread: 0, failed: 9 },
      round: null,
    },
    {
      why: 'counts an account that was asked in vain',
      shape: { read: 1, unread: 4, failed: 5 },
      round: { read: 6, of: 10, seconds: 40 },
    },
    {
      why: 'does not wait for disabled accounts',
      shape: { read: 1, unread: 1, disabled: 8 },
      round: { read: 1, of: 2, seconds: 10 },
    },
    { why: 'is none of an empty pool', shape: { read: 0, unread: 0 }, round: null },
  ])('$why', ({ shape, round }) => {
    expect(roundOf(shape)).toEqual(
      round && { readCount: round.read, toReadCount: round.of, doneAt: fromNow(round.seconds) },
    )
  })

  it('has no end while the queries fail, and none is under way without them', () => {
    const pool = entries({ read: 1, unread: 9 })
    const failing = {
      outcome: { kind: 'failed', code: 'unreachable', at: NOW },
      failuresInARow: 1,
      lastGood: null,
    } as const

    expect(aSnapshot(pool, { sources: { direct_quota: failing } }, policy).firstRound).toEqual({
      readCount: 1,
      toReadCount: 10,
      doneAt: null,
    })
    expect(
      aSnapshot(pool, { sources: { direct_quota: offBecause('no_key') } }, policy).firstRound,
    ).toBeNull()
  })
})
