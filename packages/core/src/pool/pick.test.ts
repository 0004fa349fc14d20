import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { perWindow } from '../facts/window.ts'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, fromNow } from '../testing/builders.ts'
import { type Pickable, type PickRequest, pickAccount } from './pick.ts'

const NEAR = 10

/** An account of a script with its own ranking: a negative score is a blocked one. */
function ranked(authName: string, score: number, more: Partial<Pickable> = {}): Pickable {
  return {
    selector: { authName, authIndex: '', accountKey: authName },
    routable: score >= 0,
    score: Math.max(0, score),
    reclaim: null,
    capacityWeight: 1,
    ...more,
  }
}
const pool = (scores: Readonly<Record<string, number>>) =>
  Object.entries(scores).map(([authName, score]) => ranked(authName, score))

/** The name and the reason of a pick, or why there is none. */
function picked(accounts: readonly Pickable[], request: PickRequest = {}) {
  const pick = pickAccount(accounts, request)
  return 'item' in pick ? `${pick.item.selector.authName} ${pick.reason}` : pick.reason
}

describe('a pick is', () => {
  const abc = pool({ a: 60, b: 50, c: 49, off: -1 })
  const held = (counts: Readonly<Record<string, number>>) => new Map(Object.entries(counts))

  it.each<readonly [expected: string, request: PickRequest]>([
    ['a best', {}],
    ['a kept', { keep: 'a' }],
    ['b kept', { keep: 'b' }],
    ['a best', { keep: 'c' }],
    ['a best', { keep: 'off' }],
    ['a best', { keep: 'gone' }],
    ['a best', { keep: 'b', avoid: ['b'] }],
    ['b best', { avoid: ['a', 'gone'] }],
    ['c kept', { keep: 'c', avoid: ['a'] }],
    ['all_avoided', { avoid: ['a', 'b', 'c'] }],
    ['a best', { otherUsers: held({ a: 1 }) }],
    ['a best', { keep: 'c', otherUsers: held({ a: 5 }) }],
    ['b spread', { keep: 'c', otherUsers: held({ a: 6 }) }],
    ['a best', { keep: 'c', otherUsers: held({ a: 6, b: 1 }) }],
    // Two accounts are within 10 points of the best: the third caller and those after it go where the fewest are.
    ['b spread', { otherUsers: held({ a: 2 }) }],
    ['c spread', { otherUsers: held({ a: 1, b: 1 }) }],
    ['a best', { otherUsers: held({ a: 1, b: 1, c: 1 }) }],
    ['b spread', { otherUsers: held({ a: 2, b: 1, c: 1 }) }],
    ['c spread', { otherUsers: held({ a: 1, b: 1 }), keep: 'off' }],
    ['c spread', { otherUsers: held({ a: 1, b: 1 }), avoid: ['a'], keep: 'a' }],
    ['a best', { otherUsers: held({ off: 9, gone: 9 }) }],
    ['a kept', { keep: 'a', otherUsers: held({ a: 99 }) }],
    ['c kept', { keep: 'c', stays: true, otherUsers: held({ a: 1, b: 1 }) }],
    ['a best', { keep: 'c', stays: true, otherUsers: held({ a: 1 }) }],
    ['b best', { keep: 'c', stays: true, avoid: ['a', 'c'], otherUsers: held({ a: 9, b: 9 }) }],
  ])('%s for %o', (expected, request) => {
    expect(picked(abc, request)).toBe(expected)
  })

  it('among nearly equal ones none that two more callers use than another', () => {
    const five = pool({ a: 60, b: 55, c: 54, d: 53, e: 52 })

    expect(picked(five, { otherUsers: held({ a: 1 }) })).toBe('a best')
    expect(picked(five, { otherUsers: held({ a: 2 }) })).toBe('b spread')
    expect(picked(five, { keep: 'off', otherUsers: held({ a: 3, b: 1 }) })).toBe('c spread')
  })

  it('with a score of 0 for no caller more', () => {
    const zero = pool({ a: 60, b: 0 })

    expect(picked(zero, { otherUsers: held({ a: 9 }) })).toBe('a best')
    expect(picked(pool({ a: 0, b: 0 }), { otherUsers: held({ a: 1 }) })).toBe('b spread')
  })

  it('by the ranking where scores are equal', () => {
    const b = ranked('b', 50, { capacityWeight: 5 })
    expect(picked([ranked('a', 50), b])).toBe('b best')
    expect(picked([ranked('b', 50), ranked('a', 50)])).toBe('a best')
  })

  it.each<readonly [expected: string, accounts: readonly Pickable[], request: PickRequest]>([
    ['none_listed', [], { plans: ['plus'] }],
    ['all_blocked', pool({ a: -1 }), {}],
    ['none_matching', pool({ a: 10 }), { plans: ['plus'] }],
    ['none_matching', pool({ a: 10 }), { upstreams: ['tokyo'] }],
    ['none_matching', pool({ a: 10 }), { minUnits: 1 }],
    ['none_matching', [ranked('a', 10, { plan: 'pro' })], { plans: [] }],
    ['a best', [ranked('a', 10, { plan: 'pro' }), ranked('b', 90)], { plans: ['plus', 'pro'] }],
  ])('%s of %o for %o', (expected, accounts, request) => {
    expect(picked(accounts, request)).toBe(expected)
  })

  it('by name at any proxy, and at one of them with a filter', () => {
    const at = (upstream: string, score: number) => ranked('a', score, { account: { upstream } })
    const accounts = [at('tokyo', 40), at('berlin', 45), ranked('b', 50)]
    const placeOf = (request: PickRequest) => {
      const pick = pickAccount(accounts, request)
      return 'item' in pick ? `${pick.item.account?.upstream} ${pick.reason}` : pick.reason
    }

    expect(placeOf({ keep: 'a' })).toBe('berlin kept')
    expect(placeOf({ keep: 'a', upstreams: ['tokyo'] })).toBe('tokyo kept')
    expect(placeOf({ avoid: ['a'], upstreams: ['tokyo', 'berlin'] })).toBe('all_avoided')
  })

  it('one with enough left, and unknown quota is not enough', () => {
    const withLeft = (authName: string, fiveHour: number | null, capacityWeight: number) =>
      ranked(authName, 50, {
        capacityWeight,
        quota: perWindow(({ id }) => ({ spendable: id === '5h' ? fiveHour : 40 })),
      })
    const accounts = [withLeft('a', 60, 1), withLeft('b', 30, 5), withLeft('unknown', null, 20)]

    expect(picked(accounts, { minPercent: { '5h': 31 } })).toBe('a best')
    expect(picked(accounts, { minPercent: { '5h': 30 } })).toBe('b best')
    expect(picked(accounts, { minPercent: { week: 41 } })).toBe('none_matching')
    expect(picked(accounts, { minUnits: 0.7 })).toBe('b best')
  })

  it('missing until the first blocked account that fits is expected back', () => {
    const back = (authName: string, seconds: number | null, plan: string) =>
      ranked(authName, -1, {
        plan,
        status: { until: seconds === null ? null : fromNow(seconds) },
      })
    const accounts = [back('a', 60, 'pro'), back('b', 120, 'plus'), back('c', null, 'plus')]

    expect(pickAccount(accounts, { plans: ['plus'] })).toMatchObject({ nextAt: fromNow(120) })
    expect(pickAccount(accounts.slice(2), {})).toEqual({
      none: true,
      nextAt: null,
      reason: 'all_blocked',
    })
  })

  it('made of evaluated accounts as they are, by plan, provider and proxy', () => {
    const { accounts } = aSnapshot([
      [anAccount('ada', { upstream: 'tokyo' }), evidenceOf([aQuotaSample({ fiveHour: 90 })])],
      [anAccount('bo', { claimedPlan: 'pro' }), evidenceOf([aQuotaSample({ fiveHour: 20 })])],
    ])
    const titleFor = (request: PickRequest) => {
      const pick = pickAccount(accounts, request)
      return 'item' in pick ? pick.item.title : pick.reason
    }

    expect(titleFor({ plans: ['pro'] })).toBe('bo@example.com')
    expect(titleFor({ upstreams: ['tokyo'], providers: ['codex'] })).toBe('ada@example.com')
    expect(titleFor({ upstreams: ['tokyo'], plans: ['pro'] })).toBe('none_matching')
    expect(titleFor({ minUnits: 2 })).toBe('bo@example.com')
  })
})

it('a pick is never blocked or avoided, and far from the best for many callers alone, whatever the order of the accounts', () => {
  const names = fc.integer({ min: 0, max: 11 }).map((index) => `file-${index}`)
  const question = fc.record({
    scores: fc.array(fc.integer({ min: -1, max: 40 }), { maxLength: 12 }),
    keep: fc.option(names),
    avoid: fc.array(names, { maxLength: 6 }),
    users: fc.array(fc.tuple(names, fc.nat(2))),
    stays: fc.boolean(),
  })
  fc.assert(
    fc.property(
      question.chain((asked) => {
        const accounts = asked.scores.map((score, index) => ranked(`file-${index}`, score))
        const shuffled = fc.shuffledSubarray(accounts, { minLength: accounts.length })
        return fc.tuple(fc.constant({ ...asked, accounts }), shuffled)
      }),
      ([{ accounts, keep, avoid, users, stays }, shuffled]) => {
        const otherUsers = new Map(users)
        const request = { keep, avoid, otherUsers, stays }
        const pick = pickAccount(accounts, request)
        expect(pickAccount(shuffled, request)).toEqual(pick)

        const eligible = accounts.filter(
          ({ routable, selector }) => routable && !avoid.includes(selector.authName),
        )
        expect('item' in pick).toBe(eligible.length > 0)
        if (!('item' in pick)) return
        expect(eligible).toContain(pick.item)
        const top = Math.max(...eligible.map(({ score }) => score))
        const usersOf = ({ selector }: Pickable) => otherUsers.get(selector.authName) ?? 0
        const scored = eligible.filter(({ score }) => score > 0)
        const nearCount = eligible.filter(({ score }) => score >= top - NEAR).length
        const isCrowded = scored.reduce((sum, one) => sum + usersOf(one), 0) >= nearCount
        const held = eligible.find(({ selector }) => selector.authName === keep)
        const isNear = held !== undefined && held.score >= top - NEAR
        expect(pick.kept).toBe(isNear || (held !== undefined && isCrowded && stays))
        if (pick.kept) return
        if (isCrowded && held === undefined)
          expect(usersOf(pick.item)).toBe(Math.min(...scored.map(usersOf)))
        else expect(pick.item.score).toBeGreaterThanOrEqual(top - NEAR)
      },
    ),
  )
})
