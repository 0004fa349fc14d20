import { expect, it } from 'vitest'
import { anAccount, aQuotaSample, evidenceOf } from '../testing/builders.ts'
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
