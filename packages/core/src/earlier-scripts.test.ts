import { describe, expect, it } from 'vitest'
import * as door from './index.ts'
import { anAccount, aQuotaSample, aWindow, NOW } from './testing/builders.ts'

/** The public API as an old JavaScript caller uses it, with the arguments of earlier versions. */
const { capacityWeightOf, evaluateAccount, planKindOf, rankPool, scoreComponentsOf } =
  door as unknown as Readonly<Record<string, (...args: readonly unknown[]) => never>>

const scoring = (changes: object) =>
  scoreComponentsOf?.({
    windows: [aWindow('5h', 80, { resetsInSeconds: 9_000 }), aWindow('week', 60)],
    plan: 'pro',
    tone: 'good',
    failureRatio: null,
    lastSuccessAt: null,
    reclaim: null,
    multiplier: 6,
    now: NOW,
    ...changes,
  })

/** An account in the format from before there were several providers and proxies. */
function anEarlierAccount(name: string, changes: object) {
  const { provider: _p, upstream: _u, subscribedUntil: _s, ...account } = anAccount(name)
  return { ...account, ...changes }
}

describe('a script that knows nothing of providers', () => {
  it('scores accounts as those of Codex', () => {
    expect(scoring({})).toEqual(scoring({ provider: 'codex' }))
    expect(scoring({})).toMatchObject({ plan: 5 })
    expect(scoring({ provider: 'claude' })).toMatchObject({ plan: 1 })
  })

  it('weighs plans by their names', () => {
    expect(
      ['plus', 'prolite', 'pro', 'free', 'constructor'].map((plan) => capacityWeightOf?.(plan)),
    ).toEqual([1, 5, 20, 0, 0])
    expect(capacityWeightOf?.({ plan: 'pro' })).toBe(20)
    expect(['Pro 5x', 'PLUS', null, undefined].map((name) => planKindOf?.(name))).toEqual([
      'prolite',
      'plus',
      'unknown',
      'unknown',
    ])
    expect(planKindOf?.({ name: 'pro20x' })).toBe('pro')
  })

  it('evaluates and ranks its accounts with their readings', () => {
    const pro = anEarlierAccount('pro', { claimedPlan: 'pro20x' })
    const plus = anEarlierAccount('plus', { claimedPlan: 'plus' })
    expect(evaluateAccount?.(pro, null, door.defaultPolicy, NOW)).toMatchObject({
      plan: 'pro',
      capacityWeight: 20,
    })
    const used = door.evidenceFrom([aQuotaSample({ fiveHour: 0 })])
    const evidence = new Map([[plus.selector.authName, used]])
    const ranked = rankPool?.([plus, pro], evidence, door.defaultPolicy, NOW) as unknown
    expect(ranked).toMatchObject([
      { plan: 'pro', capacityWeight: 20, blockedReasons: [] },
      { plan: 'plus', capacityWeight: 1, blockedReasons: ['quota_exhausted_5h'] },
    ])
  })
})
