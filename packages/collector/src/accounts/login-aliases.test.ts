import { aQuotaSample, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLoginAliases, identitiesIn, loginIdentityOf } from './login-aliases.ts'

it('the first key of an identity stays, in whatever order files show it', () => {
  const sight = fc.record({
    identity: fc.constantFrom('a', 'b', 'c'),
    own: fc.constantFrom('1', '2', '3'),
  })
  fc.assert(
    fc.property(fc.array(sight), (sights) => {
      const aliases = createLoginAliases()
      const first = new Map<string, string>()
      for (const { identity, own } of sights) {
        if (!first.has(identity)) first.set(identity, own)
        expect(aliases.keyOf([identity], own)).toBe(first.get(identity))
      }
    }),
  )
})

it('a second identity of an account finds it too, and an earlier process comes first', () => {
  const aliases = createLoginAliases()
  aliases.restore([{ identity: 'profile', accountKey: 'first', seenAt: NOW }])

  expect(aliases.keyOf([], 'own')).toBe('own')
  expect(aliases.keyOf(['header', 'profile'], 'own')).toBe('first')
  expect(aliases.keyOf(['header'], 'later')).toBe('first')
})

it.each([
  { provider: 'kimi', email: null, identity: 'kimi|id' },
  { provider: 'kimi', email: 'a@example.com', identity: 'kimi|id' },
  { provider: 'claude', email: 'a@example.com', identity: 'claude|a@example.com|id' },
  { provider: 'claude', email: null, identity: null },
])('the login of $provider with $email is $identity', ({ identity, ...account }) => {
  expect(loginIdentityOf(account, 'id')).toBe(identity)
})

it('the newest identity in the evidence comes first', () => {
  const sample = (ageSeconds: number, vendorIdentity?: string) =>
    aQuotaSample(
      {},
      { sampledAt: fromNow(-ageSeconds), ...(vendorIdentity !== undefined && { vendorIdentity }) },
    )
  const evidence = evidenceOf([sample(60, 'old'), sample(5, 'new'), sample(0)])

  expect(identitiesIn(evidence)).toEqual(['new', 'old'])
  expect(identitiesIn(undefined)).toEqual([])
})
