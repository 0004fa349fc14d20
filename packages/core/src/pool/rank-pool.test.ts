import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../evaluate.ts'
import { anAccount, aQuotaSample, evidenceOf, NOW } from '../testing/builders.ts'
import { rankedPool, rankPool } from './rank-pool.ts'

const sampleWith = (fiveHour: number, week = 60) => evidenceOf([aQuotaSample({ fiveHour, week })])
const alice = anAccount('alice')
const bob = anAccount('bob')
const carol = anAccount('carol')
const evidence = new Map([
  [alice.selector.authName, sampleWith(30)],
  [bob.selector.authName, sampleWith(90)],
  [carol.selector.authName, sampleWith(0)],
])
const rank = (accounts: readonly ReturnType<typeof anAccount>[]) =>
  rankPool(accounts, evidence, defaultPolicy, NOW)
const titles = (accounts: ReturnType<typeof rank>) => accounts.map(({ title }) => title)

describe('a ranked pool', () => {
  it('has the best first and the blocked last', () => {
    const ranked = rank([carol, alice, bob])

    expect(titles(ranked)).toEqual(['bob@example.com', 'alice@example.com', 'carol@example.com'])
    expect(ranked.map(({ routable }) => routable)).toEqual([true, true, false])
  })

  it('does not depend on the order of the list', () => {
    const dave = anAccount('dave')
    const all = [alice, bob, carol, dave]
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (accounts) => {
        expect(rank(accounts)).toEqual(rank(all))
      }),
    )
  })

  it('holds an account nothing is known of', () => {
    const [only] = rank([anAccount('new')])

    expect(only?.windows.map(({ state }) => state)).toEqual(['unknown', 'unknown'])
  })

  it('is empty without accounts', () => {
    expect(rank([])).toEqual([])
  })
})

describe('several files of one account', () => {
  const second = anAccount('alice-again', {
    title: alice.title,
    selector: { authName: 'second.json', authIndex: 'x', accountKey: alice.selector.accountKey },
  })

  it('count once in the capacity: the best-ranked stands for all', () => {
    const ranked = rankPool(
      [second, alice],
      new Map([...evidence, [second.selector.authName, sampleWith(80)]]),
      defaultPolicy,
      NOW,
    )

    expect(
      ranked.map(({ selector, countedInCapacity }) => [selector.authName, countedInCapacity]),
    ).toEqual([
      [second.selector.authName, true],
      [alice.selector.authName, false],
    ])
  })

  it('are called by titles of their own', () => {
    expect(new Set(titles(rank([alice, second]))).size).toBe(2)
  })
})

it('an account whose requests failed lately ranks behind its equal', () => {
  const same = sampleWith(80)
  const ranked = rankedPool(
    {
      accounts: [alice, bob],
      evidenceByAuthName: new Map([alice, bob].map(({ selector }) => [selector.authName, same])),
      recentUsage: new Map([
        [alice.selector.accountKey, { requests: 500, tokens: 0, failed: 400 }],
      ]),
    },
    defaultPolicy,
    NOW,
  )

  expect(titles(ranked)).toEqual(['bob@example.com', 'alice@example.com'])
  expect(ranked.map(({ failureRatio }) => failureRatio)).toEqual([null, 0.8])
  expect(ranked[1]?.score).toBeLessThan(ranked[0]?.score ?? 0)
})
