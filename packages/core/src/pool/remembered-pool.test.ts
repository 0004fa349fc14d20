import { expect, it } from 'vitest'
import { anAccount, aQuotaSample, evidenceOf, fromNow } from '../testing/index.ts'
import { textOfAccount } from './remembered-pool.ts'

it('what an earlier process knew is kept without what must not be', () => {
  const account = anAccount('ann', {
    vendorAccountId: 'workspace-1',
    recentRequests: [{ startAt: fromNow(0), success: 1, failed: 0 }],
  })
  const evidence = evidenceOf([aQuotaSample()], {
    disabledProbe: { state: 'ok', probedAt: fromNow(0), httpStatus: 200, sample: null },
  })
  const text = textOfAccount({ account, evidence })
  expect(text).not.toMatch(/workspace-1|disabledProbe|recentRequests/)
  expect(JSON.parse(text)).toMatchObject({
    account: { title: 'ann@example.com' },
    evidence: { samples: [{ origin: 'direct' }] },
  })
})

it.each([
  { provider: 'acme', kept: 'acme' },
  { provider: 'codex', kept: undefined },
])('the provider $provider is kept as $kept', ({ provider, kept }) => {
  const text = textOfAccount({ account: anAccount('ann', { provider }), evidence: null })

  expect(JSON.parse(text).account.provider).toBe(kept)
})
