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
  it.each([
    // name, kind, label, weight
    { name: 'plus', kind: 'plus', label: 'Plus', weight: 1 },
    { name: 'team', kind: 'team', label: 'Team', weight: 1 },
    { name: 'prolite', kind: 'prolite', label: 'Prolite', weight: 5 },
    { name: 'pro', kind: 'pro', label: 'Pro', weight: 20 },
    { name: 'free', kind: 'free', label: 'Free', weight: 0 },
    { name: 'go', kind: 'go', label: 'Go', weight: 0 },
    { name: 'business', kind: 'business', label: 'Business', weight: 0 },
    { name: 'enterprise', kind: 'enterprise', label: 'Enterprise', weight: 0 },
    { name: 'edu', kind: 'edu', label: 'Edu', weight: 0 },
    { name: 'unknown', kind: 'unknown', label: 'Unknown', weight: 0 },
    // Case, `_`, `-` and blanks do not count.
    { name: 'Plus', kind: 'plus', label: 'Plus', weight: 1 },
    { name: 'PRO', kind: 'pro', label: 'Pro', weight: 20 },
    { name: 'Pro-Lite', kind: 'prolite', label: 'Prolite', weight: 5 },
    { name: 'pro_lite', kind: 'prolite', label: 'Prolite', weight: 5 },
    { name: '  pro lite ', kind: 'prolite', label: 'Prolite', weight: 5 },
    // Aliases.
    { name: 'Pro 5x', kind: 'prolite', label: 'Prolite', weight: 5 },
    { name: 'Pro 20x', kind: 'pro', label: 'Pro', weight: 20 },
    { name: 'education', kind: 'edu', label: 'Edu', weight: 0 },
    // Only whole names match: a name that merely starts or ends like a plan is a different, untracked plan.
    { name: 'edu_plus', kind: 'eduplus', label: 'Eduplus', weight: 0 },
    {
      name: 'self_serve_business_prolite',
      kind: 'selfservebusinessprolite',
      label: 'Selfservebusinessprolite',
      weight: 0,
    },
    { name: 'pro2', kind: 'pro2', label: 'Pro2', weight: 0 },
    { name: 'k12', kind: 'k12', label: 'K12', weight: 0 },
    // No name.
    { name: null, kind: 'unknown', label: 'Unknown', weight: 0 },
    { name: '', kind: 'unknown', label: 'Unknown', weight: 0 },
    { name: ' _- ', kind: 'unknown', label: 'Unknown', weight: 0 },
    // A vendor's name must never reach an object's prototype.
    { name: 'constructor', kind: 'constructor', label: 'Constructor', weight: 0 },
    { name: '__proto__', kind: 'proto', label: 'Proto', weight: 0 },
    { name: 'toString', kind: 'tostring', label: 'Tostring', weight: 0 },
    // 64 characters are accepted as a name, 65 are not.
    { name: 'x'.repeat(64), kind: 'x'.repeat(64), label: `X${'x'.repeat(63)}`, weight: 0 },
    { name: 'x'.repeat(65), kind: 'unknown', label: 'Unknown', weight: 0 },
    { name: 'x'.repeat(1_000_000), kind: 'unknown', label: 'Unknown', weight: 0 },
  ] as const)('$name is $kind', ({ name, kind, label, weight }) => {
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
