import { describe, expect, it } from 'vitest'
import { capacityWeightOf, isKnownPlan, knownPlanKinds, planKindOf, planLabel } from './plan.ts'

describe('a plan name', () => {
  it.each([
    // name, kind, label, weight
    ['plus', 'plus', 'Plus', 1],
    ['team', 'team', 'Team', 1],
    ['prolite', 'prolite', 'Prolite', 5],
    ['pro', 'pro', 'Pro', 20],
    ['free', 'free', 'Free', 0],
    ['go', 'go', 'Go', 0],
    ['business', 'business', 'Business', 0],
    ['enterprise', 'enterprise', 'Enterprise', 0],
    ['edu', 'edu', 'Edu', 0],
    ['unknown', 'unknown', 'Unknown', 0],
    // Case, `_`, `-` and blanks do not count.
    ['Plus', 'plus', 'Plus', 1],
    ['PRO', 'pro', 'Pro', 20],
    ['Pro-Lite', 'prolite', 'Prolite', 5],
    ['pro_lite', 'prolite', 'Prolite', 5],
    ['  pro lite ', 'prolite', 'Prolite', 5],
    // Aliases.
    ['Pro 5x', 'prolite', 'Prolite', 5],
    ['Pro 20x', 'pro', 'Pro', 20],
    ['education', 'edu', 'Edu', 0],
    // Whole names only: what merely starts or ends like a plan is another one, and untracked.
    ['edu_plus', 'eduplus', 'Eduplus', 0],
    ['self_serve_business_prolite', 'selfservebusinessprolite', 'Selfservebusinessprolite', 0],
    ['pro2', 'pro2', 'Pro2', 0],
    ['k12', 'k12', 'K12', 0],
    // None.
    [null, 'unknown', 'Unknown', 0],
    ['', 'unknown', 'Unknown', 0],
    [' _- ', 'unknown', 'Unknown', 0],
    // A vendor's word must never reach into an object's own machinery.
    ['constructor', 'constructor', 'Constructor', 0],
    ['__proto__', 'proto', 'Proto', 0],
    ['toString', 'tostring', 'Tostring', 0],
    // 64 characters are a name, 65 are not.
    ['x'.repeat(64), 'x'.repeat(64), `X${'x'.repeat(63)}`, 0],
    ['x'.repeat(65), 'unknown', 'Unknown', 0],
    ['x'.repeat(1_000_000), 'unknown', 'Unknown', 0],
  ] as const)('%j is %s', (name, kind, label, weight) => {
    const plan = planKindOf({ provider: 'codex', name })

    expect(plan).toBe(kind)
    expect(planLabel(plan)).toBe(label)
    expect(capacityWeightOf({ provider: 'codex', plan })).toBe(weight)
  })

  it('may also be a property name when it did not go through planKindOf', () => {
    const weights = ['__proto__', 'hasOwnProperty'].map((plan) =>
      capacityWeightOf({ provider: 'codex', plan }),
    )

    expect(weights).toEqual([0, 0])
  })

  it('is normalised only once', () => {
    const again = knownPlanKinds.map((name) => planKindOf({ provider: 'codex', name }))

    expect(again).toEqual(knownPlanKinds)
  })

  it.each([
    { provider: 'codex', plan: 'plus', known: true },
    { provider: 'codex', plan: 'unknown', known: true },
    { provider: 'codex', plan: 'k12', known: false },
    { provider: 'codex', plan: 'constructor', known: false },
    { provider: 'nobody', plan: 'plus', known: false },
    { provider: 'nobody', plan: 'unknown', known: true },
  ])('$plan of $provider is known: $known', ({ known, ...planned }) => {
    expect(isKnownPlan(planned)).toBe(known)
  })

  it.each(['nobody', 'Codex', '', 'constructor', '__proto__'])(
    'weighs nothing at %j, whatever it weighs at Codex, and no alias of Codex counts',
    (provider) => {
      const weights = knownPlanKinds.map((plan) => capacityWeightOf({ provider, plan }))

      expect(new Set(weights)).toEqual(new Set([0]))
      expect(planKindOf({ provider, name: 'Pro 20x' })).toBe('pro20x')
    },
  )
})
