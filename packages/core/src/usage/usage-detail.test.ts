import { expect, it } from 'vitest'
import { providerOfUsage } from './usage-detail.ts'

it.each([
  { what: 'the one it says', provider: 'claude', accountKey: 'other:gemini', of: 'claude' },
  { what: 'the one of an account that is not listed', accountKey: 'other:gemini', of: 'gemini' },
  { what: 'the one that was watched alone', provider: null, accountKey: 'ann', of: 'codex' },
])('the vendor of a request is $what', ({ of, what: _, ...detail }) => {
  expect(providerOfUsage(detail)).toBe(of)
})
