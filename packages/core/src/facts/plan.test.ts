import { describe, expect, it } from 'vitest'
import {
  capacityWeightOf,
  isKnownPlan,
  knownPlanKinds,
  largestWeightOf,
  planKindOf,
  planKindsOf,
  planLabel,
} from './plan.ts'
import { providerIds } from './provider.ts'

describe('a plan name', () => {
  it.for([
    // name, kind, label, weight
    ['plus', 'plus', 'Plus', 1],
    ['team', 'team', 'Team', 1],
    ['prolite', 'prolite', 'Prolite', 5],
    ['pro', 'pro', 'Pro', 20],
    ['free', 'free', 'Free'],
    ['go', 'go', 'Go'],
    ['business', 'business', 'Business'],
    ['enterprise', 'enterprise', 'Enterprise'],
    ['edu', 'edu', 'Edu'],
    ['unknown', 'unknown', 'Unknown'],
    // Case, `_`, `-` and blanks do not count.
    ['Plus', 'plus', 'Plus', 1],
    ['PRO', 'pro', 'Pro', 20],
    ['Pro-Lite', 'prolite', 'Prolite', 5],
    ['pro_lite', 'prolite', 'Prolite', 5],
    ['  pro lite ', 'prolite', 'Prolite', 5],
    // Aliases.
    ['Pro 5x', 'prolite', 'Prolite', 5],
    ['Pro 20x', 'pro', 'Pro', 20],
    ['education', 'edu', 'Edu'],
    // Only whole names match: a name that merely starts or ends like a plan is a different, untracked plan.
    ['edu_plus', 'eduplus', 'Eduplus'],
    ['self_serve_business_prolite', 'selfservebusinessprolite', 'Selfservebusinessprolite'],
    ['pro2', 'pro2', 'Pro2'],
    ['k12', 'k12', 'K12'],
    // No name.
    [null, 'unknown', 'Unknown'],
    ['', 'unknown', 'Unknown'],
    [' _- ', 'unknown', 'Unknown'],
    // A vendor's name must never reach an object's prototype.
    ['constructor', 'constructor', 'Constructor'],
    ['__proto__', 'proto', 'Proto'],
    ['toString', 'tostring', 'Tostring'],
    // 64 characters are accepted as a name, 65 are not.
    ['x'.repeat(64), 'x'.repeat(64), `X${'x'.repeat(63)}`],
    ['x'.repeat(65), 'unknown', 'Unknown'],
    ['x'.repeat(1_000_000), 'unknown', 'Unknown'],
  ] as const)('$0 is $1', ([name, kind, label, weight = 0]) => {
    const plan = planKindOf({ provider: 'codex', name })

    expect(plan).toBe(kind)
    expect(planLabel(plan)).toBe(label)
    expect(capacityWeightOf({ provider: 'codex', plan })).toBe(weight)
  })

  it.each([
    { name: 'self_serve_business_prolite', label: 'Self Serve Business Prolite' },
    { name: 'Enterprise CBP-automation', label: 'Enterprise Cbp Automation' },
    { name: ' galaxy_ team', label: 'Galaxy Team' },
    { name: 'edu_plus', label: 'Edu Plus' },
    { name: 'K12', label: 'K12' },
    { name: 'pro_lite', label: 'Prolite' },
  ])('$name is shown as $label', ({ name, label }) => {
    expect(planLabel(planKindOf(name), name)).toBe(label)
  })

  it('of another plan keeps no words apart', () => {
    expect(planLabel('eduplus', 'pro')).toBe('Eduplus')
  })

  it('may also be a property name when it did not go through planKindOf', () => {
    const weights = ['__proto__', 'hasOwnProperty'].map((plan) =>
      capacityWeightOf({ provider: 'codex', plan }),
    )

    expect(weights).toEqual([0, 0])
  })

  it.each(providerIds)('is normalised only once at %s', (provider) => {
    const kinds = planKindsOf(provider)

    expect(kinds.map((name) => planKindOf({ provider, name }))).toEqual(kinds)
  })

  it.each([
    { provider: 'codex', plan: 'plus', known: true },
    { provider: 'codex', plan: 'unknown', known: true },
    { provider: 'codex', plan: 'k12', known: false },
    { provider: 'codex', plan: 'constructor', known: false },
    { provider: 'claude', plan: 'plus', known: false },
    { provider: 'claude', plan: 'max_5x', known: true },
    { provider: 'kimi', plan: 'intermediate', known: true },
    { provider: 'nobody', plan: 'unknown', known: true },
  ])('$plan of $provider is known: $known', ({ known, ...planned }) => {
    expect(isKnownPlan(planned)).toBe(known)
  })

  it.each(['nobody', 'Codex', '', 'constructor', '__proto__'])(
    'weighs one account at %j, whatever it weighs at Codex, and no alias of Codex counts',
    (provider) => {
      const weights = knownPlanKinds.map((plan) => capacityWeightOf({ provider, plan }))

      expect(new Set(weights)).toEqual(new Set([1]))
      expect(planKindOf({ provider, name: 'Pro 20x' })).toBe('pro20x')
    },
  )

  it.each([
    ['claude', 'max_20x', 'max_20x', 'Max 20x', 20],
    ['claude', 'Max 5x', 'max_5x', 'Max 5x', 5],
    ['claude', 'pro', 'pro', 'Pro', 1],
    ['claude', 'team', 'team', 'Team', 0],
    ['claude', null, 'unknown', 'Unknown', 0],
    ['xai', 'SuperGrok Heavy', 'supergrokheavy', 'SuperGrok Heavy', 1],
    ['kimi', 'intermediate', 'intermediate', 'Intermediate', 1],
    ['antigravity', 'g1-pro', 'g1pro', 'AI Pro', 1],
  ])('$1 of $0 is $3 and weighs $4', (provider, name, plan, label, weight) => {
    expect(planKindOf({ provider, name })).toBe(plan)
    expect(planLabel(plan)).toBe(label)
    expect(capacityWeightOf({ provider, plan })).toBe(weight)
  })

  it.each([
    { provider: undefined, weight: 20 },
    { provider: 'claude', weight: 20 },
    { provider: 'kimi', weight: 1 },
    { provider: 'nobody', weight: 1 },
  ])('of $provider weighs $weight at most', ({ provider, weight }) => {
    expect(largestWeightOf(provider)).toBe(weight)
  })
})
