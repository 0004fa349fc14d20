import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../evaluate.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { anAccount, aQuotaSample, evidenceOf, NOW } from '../testing/builders.ts'
import { rankPool } from './rank-pool.ts'

const claude = (name: string) => anAccount(name, { provider: 'claude', claimedPlan: null })
const asked = (plan: string | null): Partial<AccountEvidence> => ({
  vendorPlan: { plan, askedAt: NOW },
})
/** Evidence of an account with this plan; undefined: nobody has asked for it. */
const withPlan = (plan: string | null | undefined) =>
  evidenceOf(
    [aQuotaSample({ fiveHour: 60, week: 60 }, { plan: null })],
    plan === undefined ? {} : asked(plan),
  )

function ranked(plans: Readonly<Record<string, string | null | undefined>>) {
  const evidence = new Map(
    Object.entries(plans).map(([name, plan]) => [claude(name).selector.authName, withPlan(plan)]),
  )
  const accounts = Object.keys(plans).map(claude)
  const byTitle = rankPool(accounts, evidence, defaultPolicy, NOW).map(
    (one) => [one.title.replace(/@.*/, ''), one] as const,
  )
  return Object.fromEntries(byTitle)
}

describe('an account whose plan nobody has asked for', () => {
  it.each<{ why: string; others: readonly (string | null)[]; usual: string | undefined }>([
    { why: 'the only one known', others: ['max_20x'], usual: 'max_20x' },
    { why: 'the most common', others: ['pro', 'max_20x', 'max_20x'], usual: 'max_20x' },
    { why: 'of two as common the smaller', others: ['max_20x', 'max_5x'], usual: 'max_5x' },
    { why: 'one without a size', others: ['team', 'team', 'pro'], usual: 'team' },
    { why: 'none without a known plan', others: [null, null], usual: undefined },
    { why: 'none without another account', others: [], usual: undefined },
  ])('counts with the usual plan of its pool: $why', ({ others, usual }) => {
    const pool = ranked({
      new: undefined,
      ...Object.fromEntries(others.map((plan, at) => [`other${at}`, plan])),
    })

    expect(pool.new).toMatchObject({ plan: 'unknown', capacityWeight: 0 })
    expect(pool.new?.scoredPlan).toBe(usual)
    const alike = others.indexOf(usual ?? 'no plan')
    if (alike >= 0) expect(pool.new?.score).toBe(pool[`other${alike}`]?.score)
  })

  it('is near the first one that was asked, which does not take all requests', () => {
    const pool = ranked({ a: undefined, b: undefined, c: 'max_5x', d: undefined })

    expect(new Set(Object.values(pool).map(({ score }) => score)).size).toBe(1)
  })

  it('is not one that was asked and named none', () => {
    const pool = ranked({ silent: null, other: 'pro' })

    expect(pool.silent).not.toHaveProperty('scoredPlan')
    expect(pool.silent?.score).toBeLessThan(pool.other?.score ?? 0)
  })

  it('counts the plans of its own provider alone', () => {
    const accounts = [claude('new'), anAccount('codex', { claimedPlan: 'pro' })]
    const evidence = new Map([[claude('new').selector.authName, withPlan(undefined)]])

    for (const one of rankPool(accounts, evidence, defaultPolicy, NOW))
      expect(one).not.toHaveProperty('scoredPlan')
  })

  it('of Codex is one that was never read', () => {
    const plus = anAccount('plus', { claimedPlan: 'plus' })
    const unread = anAccount('unread', { claimedPlan: null })
    const read = anAccount('read', { claimedPlan: null })
    const evidence = new Map([
      [read.selector.authName, evidenceOf([aQuotaSample({}, { plan: null })])],
    ])
    const pool = rankPool([plus, unread, read], evidence, defaultPolicy, NOW)
    const scoredPlanOf = (account: typeof plus) =>
      pool.find((one) => one.account === account)?.scoredPlan

    expect([plus, unread, read].map(scoredPlanOf)).toEqual([undefined, 'plus', undefined])
  })

  it('counts the same whatever the order of the list', () => {
    const plans = fc.array(fc.constantFrom('pro', 'max_5x', 'team', null, undefined), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(plans, (list) => {
        const named = list.map((plan, at) => [`n${at}`, plan] as const)
        const scores = (pool: ReturnType<typeof ranked>) => named.map(([name]) => pool[name]?.score)

        expect(scores(ranked(Object.fromEntries([...named].reverse())))).toEqual(
          scores(ranked(Object.fromEntries(named))),
        )
      }),
    )
  })
})
