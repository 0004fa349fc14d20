import { expect, it } from 'vitest'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '../testing/builders.ts'
import { askedAccountOf, evidenceWithAsked } from './asked-account.ts'

const pause = { until: fromNow(600), inARow: 2, reason: 'throttled' } as const
const failure = (ageSeconds: number) =>
  ({ at: fromNow(-ageSeconds), kind: 'auth', httpStatus: 401, inARow: 1 }) as const
const refused = { inARow: 1, lastAt: fromNow(-60), httpStatus: 401 } as const

it('what is stored of an account is what decides when it may be asked about again', () => {
  const evidence = evidenceOf([aQuotaSample()], { askedAt: NOW, vendorPause: pause })
  const asked = askedAccountOf(anAccount('ann', { provider: 'xai' }), evidence, fromNow(9))

  expect(asked).toEqual({
    upstream: 'default',
    authName: 'codex-ann@example.com-plus.json',
    accountKey: 'key-ann',
    provider: 'xai',
    verdict: null,
    waitUntil: fromNow(9),
    evidence: { probeFailure: null, refusedLogin: null, askedAt: NOW, vendorPause: pause },
  })
})

it.each([
  {
    what: 'a later query with its pause',
    current: evidenceOf([aQuotaSample()], { askedAt: fromNow(-900) }),
    asked: { askedAt: NOW, probeFailure: failure(0), refusedLogin: null, vendorPause: pause },
    expected: { askedAt: NOW, probeFailure: failure(0), vendorPause: pause },
  },
  {
    what: 'what was stored of the same query after its answer',
    current: evidenceOf([], { askedAt: fromNow(-60) }),
    asked: { askedAt: fromNow(-60), probeFailure: failure(60), refusedLogin: refused },
    expected: { askedAt: fromNow(-60), probeFailure: failure(60), refusedLogin: refused },
  },
  {
    what: 'nothing of an earlier query',
    current: evidenceOf([], { askedAt: fromNow(-60), refusedLogin: refused }),
    asked: { askedAt: fromNow(-900), probeFailure: failure(900), refusedLogin: null },
    expected: { askedAt: fromNow(-60), probeFailure: null, refusedLogin: refused },
  },
  {
    what: 'a pause no longer that a later query has not met',
    current: evidenceOf([], { askedAt: fromNow(-900), vendorPause: pause }),
    asked: { askedAt: NOW, probeFailure: null, refusedLogin: null },
    expected: { askedAt: NOW, vendorPause: undefined },
  },
])('evidence takes $what', ({ current, asked, expected }) => {
  const taken = evidenceWithAsked(current, asked)

  expect(taken.samples).toBe(current.samples)
  expect({ vendorPause: undefined, ...taken }).toMatchObject(expected)
})
