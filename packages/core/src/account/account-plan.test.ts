import { expect, it } from 'vitest'
import { anAccount, aQuotaSample, evidenceOf, NOW } from '../testing/builders.ts'
import { planOf } from './account-plan.ts'

const claimsPlus = anAccount('a', { claimedPlan: 'plus' })

it.each([
  ['nothing was read', null, 'plus'],
  ['a direct sample names another', [aQuotaSample({}, { plan: 'Pro-Lite' })], 'prolite'],
  ['a direct sample names none', [aQuotaSample({}, { plan: null })], 'plus'],
  [
    'only response headers name one',
    [aQuotaSample({}, { plan: 'pro', origin: 'headers' })],
    'plus',
  ],
  [
    'headers are newer than the direct sample',
    [
      aQuotaSample({ ageSeconds: 60 }, { plan: 'team' }),
      aQuotaSample({}, { plan: 'pro', origin: 'headers' }),
    ],
    'team',
  ],
  [
    'a newer direct sample names one too',
    [aQuotaSample({ ageSeconds: 60 }, { plan: 'free' }), aQuotaSample({}, { plan: 'pro' })],
    'pro',
  ],
] as const)('the plan when %s', (_, samples, expected) => {
  expect(planOf(claimsPlus, samples === null ? null : evidenceOf(samples))).toBe(expected)
})

it('is unknown when nobody names one', () => {
  expect(planOf(anAccount('a', { claimedPlan: null }), null)).toBe('unknown')
})

it('is the one asked for alone where no sample names any, before that of the login', () => {
  const account = anAccount('a', { provider: 'claude', claimedPlan: 'pro' })
  const evidence = {
    ...evidenceOf([aQuotaSample({}, { origin: 'headers', plan: null })]),
    vendorPlan: { plan: 'max_5x', askedAt: NOW },
  }

  expect(planOf(account, evidence)).toBe('max_5x')
  expect(planOf(account, { ...evidence, vendorPlan: { plan: null, askedAt: NOW } })).toBe('pro')
})
